import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { scimClient } from '../../../test/support/scim-client.ts'
import { scimCommands } from './scim-commands.ts'

const trial = testApp()
const { ask } = scimClient(trial)
const now = '2026-11-20T10:00:00.000Z'

const run = commandsOn(trial, now)

beforeEach(() => trial.reset())

test('a token is made, shown once and alone on standard output, listed without it, and revoked', async () => {
  const made = await run(scimCommands.createToken, { name: 'Okta' })
  assert.match(made.out, /^mstr_scim_[0-9A-Za-z]{36}\n$/)
  assert.equal(
    made.err,
    'Base URL for the identity provider: https://muster.test/scim/v2\nThe token is not shown again:\n',
  )
  const token = made.out.trim()
  assert.equal((await ask('GET', '/Users', { token })).status, 200)
  const list = 'ID  NAME  CREATED                   LAST USED\n'
  const row = '1   Okta  2026-11-20T10:00:00.000Z  2026-11-20T10:00:00.000Z\n'
  assert.equal((await run(scimCommands.listTokens, {})).out, list + row)
  assert.equal((await run(scimCommands.revokeToken, { id: '1' })).out, 'Revoked SCIM token 1\n')
  assert.equal((await ask('GET', '/Users', { token })).status, 401)
  assert.equal((await run(scimCommands.listTokens, {})).out, 'ID  NAME  CREATED  LAST USED\n')
  await assert.rejects(run(scimCommands.revokeToken, { id: '1' }), { code: 'not_found' })
})
