import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { createEntraConnectionCommand, listConnectionsCommand } from './connection-commands.ts'
import { rotateSigningKeyCommand } from './signing-key-commands.ts'

const trial = testApp()
const run = commandsOn(trial, '2026-11-20T10:00:00.000Z')
const tenantId = '5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'
const asked = { name: 'Microsoft 365', tenantIds: [tenantId], appId: 'c0a81d52-6e4f-4b9a-a3d7-18f5e2b96c04' }

beforeEach(() => trial.reset())

test('a connection of Microsoft Entra is added with all that Entra is set up with, and listed', async () => {
  const { out, err } = await run(createEntraConnectionCommand, asked)
  const { id, client_id: clientId } = await trial.db
    .selectFrom('signin_connections')
    .select(['id', 'client_id'])
    .executeTakeFirstOrThrow()
  const issuer = `https://muster.test/signin/entra/${id}`
  assert.deepEqual(out.split('\n'), [
    `Client ID:          ${clientId}`,
    `Discovery endpoint: ${issuer}/.well-known/openid-configuration`,
    `Reply URL:          ${issuer}/authorize`,
    '',
  ])
  assert.match(err, /app registration/)
  const [, row] = (await run(listConnectionsCommand, {})).out.split('\n')
  assert.deepEqual(row?.split(/ {2,}/), [id, 'Microsoft 365', 'enforce', 'entra', 'asserted', clientId])
  await assert.rejects(run(createEntraConnectionCommand, { ...asked, appId: 'mine' }), { code: 'invalid' })
})

test('the key of Entra is replaced by itself, two days from now or at once', async () => {
  const purposes = async () =>
    (await trial.db.selectFrom('signing_keys').select(['purpose', 'active_from']).orderBy('active_from').execute()).map(
      ({ purpose, active_from: from }) => `${purpose} ${from}`,
    )
  await run(rotateSigningKeyCommand, { purpose: 'entra', emergency: false })
  assert.deepEqual(await purposes(), ['entra 2026-11-20T10:00:00.000Z'])
  await run(rotateSigningKeyCommand, { purpose: 'entra', emergency: false })
  assert.deepEqual((await purposes())[1], 'entra 2026-11-22T10:00:00.000Z')
  await run(rotateSigningKeyCommand, { purpose: 'entra', emergency: true })
  assert.deepEqual((await purposes()).slice(0, 2), Array(2).fill('entra 2026-11-20T10:00:00.000Z'))
})
