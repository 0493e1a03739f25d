import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { peopleCommands } from './people-commands.ts'

const trial = testApp()
const run = commandsOn(trial, '2026-11-20T10:00:00.000Z')

beforeEach(() => trial.reset())

test('a person is added with an e-mail address, and not with what only looks like one', async () => {
  const id = (await run(peopleCommands.add, { name: 'René', email: 'rené@acme.example' })).out.trim()
  assert.equal((await trial.ask('GET', `/people/${id}`)).body.email, 'rené@acme.example')
  for (const email of ['rené', 'mailto:r@acme.example', '<r@acme.example>', 'r@acme', 'r@acme.example.']) {
    const errors = [{ field: 'email', message: 'must be an e-mail address' }]
    await assert.rejects(run(peopleCommands.add, { name: 'René', email }), { code: 'invalid', errors }, email)
  }
})
