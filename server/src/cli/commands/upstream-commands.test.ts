import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { startHostileProvider } from '../../../test/support/hostile-provider.ts'
import { commandsOn, typedArgs } from '../../../test/support/run-command.ts'
import { newConnectionCommands } from './add-connection-commands.ts'
import { connectionCommands } from './connection-commands.ts'
import { upstreamCommands } from './upstream-commands.ts'
import { upstreamGroup } from './upstream-group.ts'

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
    new RegExp(`Payroll +application +observe +${id} +muster-`),
  )
  assert.equal((await run(upstreamCommands.replaceSecret, { id, clientSecret: 'another' })).exit, 0)
  await assert.rejects(run(upstreamCommands.delete, { id }), /still sign in/)
  await trial.db.deleteFrom('signin_connections').execute()
  assert.match((await run(upstreamCommands.delete, { id })).out, /deleted/)
  assert.doesNotMatch((await run(upstreamCommands.list, {})).out, /Keycloak/)
})

test('an upstream is changed by what is given, and says what is true now', async () => {
  await run(upstreamCommands.create, { ...keycloak(), tenant: 'a1', tenantClaim: 'tid', emailDomains: ['x.example'] })
  const { id } = await trial.db.selectFrom('signin_upstreams').select('id').executeTakeFirstOrThrow()
  const change = async (given: object) => (await run(upstreamCommands.change, { id, ...given })).out
  const shown = (name: string, tenant: string, domains: string, creates: string) =>
    `Name:             ${name}\nTenant:           ${tenant}\nDomains:          ${domains}\nCreates people:   ${creates}\nSigns people out: no\n`
  assert.equal(
    await change({ name: 'Example ID', createsPeople: true }),
    `Upstream ${id} is changed\n${shown('Example ID', 'tid=a1', 'x.example', 'yes')}`,
  )
  assert.equal(
    await change({ createsPeople: true }),
    `Upstream ${id} is as it was\n${shown('Example ID', 'tid=a1', 'x.example', 'yes')}`,
  )
  assert.match(
    (await run(upstreamCommands.list, {})).out,
    /CREATES PEOPLE +SIGNS PEOPLE OUT\n.* tid=a1 +x\.example +yes +no\n/,
  )
  assert.match(await change({ tenant: 'b2' }), /Tenant: +tid=b2\n/)
  assert.match(await change({ tenantClaim: 'org' }), /Tenant: +org=b2\n/)
  assert.match(
    await change({ tenant: false, emailDomains: ['Y.example', 'z.example'] }),
    /Tenant: +–\nDomains: +y.example, z/,
  )
  await assert.rejects(change({ tenantClaim: 'org' }), /--tenant/)
  await assert.rejects(change({ emailDomains: ['nothing'] }), { code: 'invalid' })
  assert.match(await change({ tenant: 'c3', createsPeople: false }), /Tenant: +hd=c3\n.*\nCreates people: +no\n/)
  await assert.rejects(change({ signsOut: true }), { code: 'invalid' })
  await trial.db
    .updateTable('signin_upstreams')
    .set({ end_session_endpoint: `${provider.issuer}/out` })
    .execute()
  assert.match(await change({ signsOut: true }), /Signs people out: yes\n/)
  assert.match(await change({ signsOut: false }), /Signs people out: no\n/)
  await assert.rejects(run(upstreamCommands.change, { id: '99', name: 'Mine' }), { code: 'not_found' })
})

test('the flags that take away are typed beside those that give', async () => {
  const typed = (...flags: string[]) => typedArgs(upstreamGroup.commands.change, '7', ...flags)
  assert.deepEqual(await typed(), { id: '7' })
  assert.deepEqual(await typed('--no-tenant', '--no-create-people'), { id: '7', tenant: false, createsPeople: false })
  assert.deepEqual(await typed('--no-sign-out'), { id: '7', signsOut: false })
  assert.deepEqual(await typed('--sign-out'), { id: '7', signsOut: true })
  assert.deepEqual(await typed('--tenant', 'a1', '--create-people', '--domain', 'x.example', 'y.example'), {
    ...{ id: '7', tenant: 'a1', createsPeople: true },
    emailDomains: ['x.example', 'y.example'],
  })
})

test('an upstream without an issuer is refused', async () => {
  const { issuer: _, ...rest } = keycloak()
  await assert.rejects(run(upstreamCommands.create, rest), /--issuer/)
})
