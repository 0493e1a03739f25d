import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { newConnectionCommands } from './add-connection-commands.ts'
import { connectionCommands } from './connection-commands.ts'
import { upstreamCommands } from './upstream-commands.ts'

const provider = await startHostileProvider()
after(() => provider.stop())
const trial = testApp({ env: { MUSTER_ALLOW_PRIVATE_IDENTITY_PROVIDERS: '127.0.0.1' } })
const run = commandsOn(trial, '2026-11-20T10:00:00.000Z')

beforeEach(async () => {
  provider.reset()
  await trial.reset()
})

const keycloak = () => ({
  provider: 'keycloak' as const,
  ...{ name: 'Keycloak', issuer: provider.issuer, clientId: 'muster' },
  clientSecret: 'a-secret-of-the-tests',
})

test('an upstream is added, shown, given to a connection, and deleted once none uses it', async () => {
  const made = await run(upstreamCommands.create, {
    ...keycloak(),
    tenant: 'a1',
    tenantClaim: 'tid',
    emailDomains: ['x.example'],
  })
  assert.match(made.out, new RegExp(`Redirect address: ${baseUrl}/signin/upstream/return`))
  const id = /Upstream: +(\d+)/.exec(made.out)?.[1] ?? ''
  const { out: list } = await run(upstreamCommands.list, {})
  assert.match(list, new RegExp(`${id} +Keycloak +keycloak +${provider.issuer} +tid=a1 +x.example`))
  const client = { name: 'Payroll', redirectUris: ['https://payroll.example/cb'], upstreamId: id }
  await run(newConnectionCommands.application, client)
  assert.match(
    (await run(connectionCommands.list, {})).out,
    new RegExp(`Payroll +application +enforce +${id} +muster-`),
  )
  assert.equal((await run(upstreamCommands.replaceSecret, { id, clientSecret: 'another' })).exit, 0)
  await assert.rejects(run(upstreamCommands.delete, { id }), /still sign in/)
  await trial.db.deleteFrom('signin_connections').execute()
  assert.match((await run(upstreamCommands.delete, { id })).out, /deleted/)
  assert.doesNotMatch((await run(upstreamCommands.list, {})).out, /Keycloak/)
})

test('an upstream without an issuer is refused', async () => {
  const { issuer: _, ...rest } = keycloak()
  await assert.rejects(run(upstreamCommands.create, rest), /--issuer/)
})
