import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Static, TSchema } from 'typebox'
import { testApp } from '../../../test/support/app.ts'
import { scimClient } from '../../../test/support/scim-client.ts'
import type { CommandIo, DataCommand } from '../data-command.ts'
import { createScimTokenCommand, listScimTokensCommand, revokeScimTokenCommand } from './scim-commands.ts'

const trial = testApp()
const { ask } = scimClient(trial)
const now = '2026-11-20T10:00:00.000Z'

beforeEach(() => trial.reset())

async function run<Args extends TSchema>(command: DataCommand<Args>, args: Static<Args>) {
  const seen = { out: '', err: '' }
  const write = async (text: string) => {
    seen.out += text
  }
  const { connection } = trial.database
  const io: CommandIo = {
    write,
    line: (text) => write(`${text}\n`),
    error: async (text) => {
      seen.err += `${text}\n`
    },
    input: (async function* () {})(),
    signal: new AbortController().signal,
  }
  await command.run({ connection, secrets: trial.secrets, config: trial.config, now }, args, io)
  return seen
}

test('a token is made, shown once and alone on standard output, listed without it, and revoked', async () => {
  const made = await run(createScimTokenCommand, { name: 'Okta' })
  assert.match(made.out, /^mstr_scim_[0-9A-Za-z]{36}\n$/)
  assert.equal(
    made.err,
    'Base URL for the identity provider: https://muster.test/scim/v2\nThe token is not shown again:\n',
  )
  const token = made.out.trim()
  assert.equal((await ask('GET', '/Users', { token })).status, 200)
  const list = 'ID  NAME  CREATED                   LAST USED\n'
  const row = '1   Okta  2026-11-20T10:00:00.000Z  2026-11-20T10:00:00.000Z\n'
  assert.equal((await run(listScimTokensCommand, {})).out, list + row)
  assert.equal((await run(revokeScimTokenCommand, { id: '1' })).out, 'Revoked SCIM token 1\n')
  assert.equal((await ask('GET', '/Users', { token })).status, 401)
  assert.equal((await run(listScimTokensCommand, {})).out, 'ID  NAME  CREATED  LAST USED\n')
  await assert.rejects(run(revokeScimTokenCommand, { id: '1' }), { code: 'not_found' })
})
