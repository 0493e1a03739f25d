import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { relyingParty } from '../../../test/support/sign-in-browser.ts'
import { newConnectionCommands } from './add-connection-commands.ts'
import { adminCommands } from './admin-commands.ts'
import { checkCommands } from './check-commands.ts'
import { connectionCommands } from './connection-commands.ts'
import { deviceCommands } from './device-commands.ts'
import { draftCommands } from './draft-commands.ts'
import { enrollmentSecretCommands } from './enrollment-commands.ts'
import { groupCommands } from './group-commands.ts'
import { keyCommands } from './key-commands.ts'
import { organizationCommands } from './organization-commands.ts'
import { packageCommands } from './package-commands.ts'
import { peopleCommands } from './people-commands.ts'
import { reportCommands } from './report-commands.ts'
import { requestCommands } from './request-commands.ts'
import { scimCommands } from './scim-commands.ts'
import { streamCommands } from './stream-commands.ts'
import { upstreamCommands } from './upstream-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

const trial = testApp()
const make = makeIn(trial)
const run = commandsOn(trial, '2026-11-20T10:00:00.000Z')
beforeEach(() => trial.reset())

type Ask = () => Promise<unknown>

const idOf = async (making: Promise<{ out: string }>): Promise<string> => (await making).out.trim()
const latest = async (
  table: 'api_keys' | 'scim_tokens' | 'enrollment_secrets' | 'ssf_streams' | 'signin_connections',
) => (await trial.db.selectFrom(table).select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()).id

const maya = { email: 'maya@acme.example', firstName: 'Maya', lastName: '', access: 'full' } as const
const tom = { ...maya, email: 'tom@acme.example' }
const external = { slug: 'external-one', name: 'External', platforms: ['linux' as const] }

async function withDevice() {
  const { organizationId } = trial.tenant
  const person = await make.person(organizationId, { email: 'ada@acme.example' })
  const device = await make.device(organizationId)
  const check = await make.check(organizationId)
  await make.target(organizationId)
  return { person, device, check }
}

async function withRequest(columns = {}) {
  const { person, device } = await withDevice()
  const request = await make.registrationRequest({ device, person }, columns)
  return { kind: 'registration' as const, id: request.id }
}

/** Each prepares what it changes, and returns the command that is then given twice. */
const commands: Record<string, () => Promise<Ask>> = {
  'people add': async () => () => run(peopleCommands.add, { name: 'Ada', email: 'ada@acme.example' }),
  'people deprovision': async () => {
    const { person } = await withDevice()
    return () => run(peopleCommands.deprovision, { person: person.id })
  },
  'people restore': async () => {
    const { person } = await withDevice()
    await run(peopleCommands.deprovision, { person: person.id })
    return () => run(peopleCommands.restore, { person: person.email })
  },
  'admins add': async () => () => run(adminCommands.add, maya),
  'admins update': async () => {
    await run(adminCommands.add, tom)
    const id = await idOf(run(adminCommands.add, maya))
    return () => run(adminCommands.update, { id, access: 'limited' })
  },
  'admins remove': async () => {
    await run(adminCommands.add, tom)
    const id = await idOf(run(adminCommands.add, maya))
    return () => run(adminCommands.remove, { id })
  },
  'checks enable': async () => () => run(checkCommands.enable, { slug: 'linux-pending-reboot' }),
  'checks add-external': async () => () => run(checkCommands.addExternal, external),
  'checks delete': async () => {
    const id = await idOf(run(checkCommands.addExternal, external))
    return () => run(checkCommands.delete, { id })
  },
  'checks begins-blocking-on': async () => {
    await run(checkCommands.addExternal, external)
    return () => run(checkCommands.setBeginsBlockingOn, { check: external.slug, at: '2026-12-01T00:00:00Z' })
  },
  'checks configure': async () => {
    const { check } = await withDevice()
    return () => run(checkCommands.configure, { check: check.slug, graceDays: 3, checkedOn: ['macos'], pause: true })
  },
  'connections set-mode': async () => {
    const id = await newConnection()
    return () => run(connectionCommands.observe, { id })
  },
  'connections disable': async () => {
    const id = await newConnection()
    return () => run(connectionCommands.disable, { id, confirm: 'An app' })
  },
  'connections resume': async () => {
    const id = await newConnection()
    await run(connectionCommands.pause, { id, minutes: 10, reason: 'an outage' })
    return () => run(connectionCommands.resume, { id })
  },
  'connections delete': async () => {
    const id = await newConnection()
    return () => run(connectionCommands.delete, { id, confirm: 'An app' })
  },
  'devices register': async () => {
    const { person, device } = await withDevice()
    return () => run(deviceCommands.register, { id: device.id, personEmail: person.email })
  },
  'devices assign-owners': async () => {
    const { person } = await withDevice()
    await make.device(trial.tenant.organizationId, { serial: 'C02FREE' })
    const csv = `C02FREE,${person.email}`
    await run(deviceCommands.assignOwners, { csv })
    return () => run(deviceCommands.assignOwners, { csv })
  },
  'devices confirm-registration': async () => {
    const { person } = await withDevice()
    const suspended = { registered_owner_id: person.id, registration_suspended_at: trial.now() }
    const { id } = await make.device(trial.tenant.organizationId, suspended)
    return () => run(deviceCommands.confirmRegistration, { id })
  },
  'devices resolve-identity-conflict': async () => {
    const { id } = await make.device(trial.tenant.organizationId, { identity_conflict_since: trial.now() })
    return () => run(deviceCommands.resolveIdentityConflict, { id })
  },
  'devices restore': async () => {
    const { device } = await withDevice()
    assert.equal((await trial.ask('DELETE', `/devices/${device.id}`)).status, 200)
    return () => run(deviceCommands.restore, { id: device.id })
  },
  'devices exempt': async () => {
    const { device, check } = await withDevice()
    return () => run(deviceCommands.exemptCheck, { id: device.id, check: check.slug, reason: 'a printer' })
  },
  'devices end-exemption': async () => {
    const { device, check } = await withDevice()
    await run(deviceCommands.exemptCheck, { id: device.id, check: check.slug, reason: 'a printer' })
    return () => run(deviceCommands.endExemption, { id: device.id, check: check.slug })
  },
  'drafts edit': async () => {
    const { id } = await make.draft(trial.tenant.organizationId)
    return () => run(draftCommands.edit, { id, input: { name: 'Another' } })
  },
  'drafts delete': async () => {
    const { id } = await make.draft(trial.tenant.organizationId)
    return () => run(draftCommands.delete, { id })
  },
  'enrollment-secrets revoke': async () => {
    await run(enrollmentSecretCommands.create, { name: 'A secret' })
    const id = await latest('enrollment_secrets')
    return () => run(enrollmentSecretCommands.revoke, { id })
  },
  'groups change-devices': async () => {
    const group = await idOf(run(groupCommands.createDeviceGroup, { name: 'Laptops' }))
    return () => run(groupCommands.changeDeviceGroup, { group, name: 'Computers', description: 'all' })
  },
  'groups delete-devices': async () => {
    const group = await idOf(run(groupCommands.createDeviceGroup, { name: 'Laptops' }))
    return () => run(groupCommands.deleteDeviceGroup, { group })
  },
  'groups create-people': async () => {
    await withDevice()
    // A name need not be unique, so each makes a group.
    const name = { name: 'Engineers', members: ['nobody@acme.example'] }
    return () => run(groupCommands.createPersonGroup, name)
  },
  'keys grant': async () => {
    await run(keyCommands.create, { name: 'A key', permissions: [] })
    const id = await latest('api_keys')
    return () => run(keyCommands.grant, { id, permissions: ['update_devices'], rationale: 'so' })
  },
  'keys withdraw': async () => {
    await run(keyCommands.create, { name: 'A key', permissions: ['update_devices'], rationale: 'so' })
    const id = await latest('api_keys')
    return () => run(keyCommands.withdraw, { id, permissions: ['update_devices'], rationale: 'so' })
  },
  'keys review': async () => {
    await run(keyCommands.create, { name: 'A key', permissions: [] })
    const id = await latest('api_keys')
    return () => run(keyCommands.review, { id })
  },
  'keys revoke': async () => {
    await run(keyCommands.create, { name: 'A key', permissions: [] })
    const id = await latest('api_keys')
    return () => run(keyCommands.revoke, { id })
  },
  'organizations rename': async () => () => run(organizationCommands.rename, { name: 'Halden' }),
  'organizations set-base-url': async () => {
    const { organizationId: organization } = await trial.addTenant()
    return () => run(organizationCommands.setBaseUrl, { organization, url: 'https://halden.example' })
  },
  'organizations end-old-addresses': async () => {
    const { organizationId: organization } = await trial.addTenant()
    await run(organizationCommands.setBaseUrl, { organization, url: 'https://halden.example' })
    return () => run(organizationCommands.endOldAddresses, { organization })
  },
  'organizations set': async () => () => run(organizationCommands.set, { setting: 'auth_logs_days', value: '90' }),
  'organizations set-feature': async () => () => run(organizationCommands.setFeature, { feature: 'scim', isOn: false }),
  'packages build': async () => () => run(packageCommands.build, {}),
  'reports edit': async () => {
    const id = await idOf(run(reportCommands.create, { name: 'A query', sql: 'select 1 as one' }))
    return () => run(reportCommands.edit, { id, name: 'Another', everySeconds: 7_200 })
  },
  'reports delete': async () => {
    const id = await idOf(run(reportCommands.create, { name: 'A query', sql: 'select 1 as one' }))
    return () => run(reportCommands.delete, { id })
  },
  'requests approve': async () => {
    const request = await withRequest()
    return () => run(requestCommands.approve, request)
  },
  'requests deny': async () => {
    const request = await withRequest()
    return () => run(requestCommands.deny, { ...request, explanation: 'no' })
  },
  'requests reopen': async () => {
    const request = await withRequest()
    await run(requestCommands.deny, { ...request, explanation: 'no' })
    return () => run(requestCommands.reopen, request)
  },
  'scim revoke-token': async () => {
    await run(scimCommands.createToken, { name: 'Okta' })
    const id = await latest('scim_tokens')
    return () => run(scimCommands.revokeToken, { id })
  },
  'streams set-status': async () => {
    await run(streamCommands.add, {})
    const stream = await latest('ssf_streams')
    return () => run(streamCommands.pause, { stream, reason: 'a pause' })
  },
  'streams move': async () => {
    await run(streamCommands.add, {})
    const stream = await latest('ssf_streams')
    return () => run(streamCommands.move, { stream })
  },
  'streams delete': async () => {
    await run(streamCommands.add, {})
    const stream = await latest('ssf_streams')
    return () => run(streamCommands.delete, { stream })
  },
  'upstreams change': async () => {
    const id = await newUpstream()
    return () => run(upstreamCommands.change, { id, name: 'Another', emailDomains: ['acme.example'] })
  },
  'webhooks change': async () => {
    const endpoint = await newEndpoint()
    return () => run(webhookCommands.edit, { endpoint, asked: { description: 'Another', enabled: false } })
  },
  'webhooks delete': async () => {
    const endpoint = await newEndpoint()
    return () => run(webhookCommands.delete, { endpoint })
  },
}

async function newConnection(): Promise<string> {
  const { jwk, redirectUri } = await relyingParty()
  const requestKeys = JSON.stringify({ keys: [jwk] })
  await run(newConnectionCommands.secondStep, {
    name: 'An app',
    redirectUris: [redirectUri],
    requestKeys,
    isEnforcing: true,
  })
  return latest('signin_connections')
}

async function newUpstream(): Promise<string> {
  const issuer = 'https://id.example'
  const upstream = { name: 'Example ID', provider: 'oidc', issuer, client_id: 'muster' } as const
  const columns = { organization_id: trial.tenant.organizationId, sealed_client_secret: Buffer.from(''), ...upstream }
  const made = { ...columns, authorization_endpoint: `${issuer}/authorize`, created_at: trial.now() }
  return (await trial.db.insertInto('signin_upstreams').values(made).returning('id').executeTakeFirstOrThrow()).id
}

async function newEndpoint(): Promise<string> {
  const asked = { url: 'https://receiver.example.org/hooks', events: ['devices.created' as const] }
  const { out } = await run(webhookCommands.add, { asked, json: true })
  return JSON.parse(out).id
}

const entries = async (): Promise<string[]> =>
  (await trial.db.selectFrom('audit_logs').select('description').orderBy('id').execute()).map(
    ({ description }) => description,
  )

for (const [name, prepare] of Object.entries(commands)) {
  test(`muster ${name}, given again, writes no entry into the audit log`, async () => {
    const give = await prepare()
    await give().catch((error: unknown) => assert.equal(name, 'groups create-people', String(error)))
    const once = await entries()
    await give().catch(() => undefined)
    assert.deepEqual(await entries(), once)
  })
}

test('an address that is known is refused, and of someone who left brings them back', async () => {
  const { organizationId } = trial.tenant
  const { id } = await make.person(organizationId, { name: 'Ada', email: 'Ada@acme.example' })
  const add = () => run(peopleCommands.add, { name: 'Dup', email: 'ADA@acme.example' })
  await assert.rejects(add(), { exitCode: 1, message: `Person ${id} already has the address ADA@acme.example` })
  const before = await entries()
  assert.ok(!before.some((entry) => entry.includes('Dup')))
  await trial.db.updateTable('people').set({ deprovisioned_at: trial.now() }).where('id', '=', id).execute()
  assert.deepEqual(await add(), {
    exit: 0,
    out: `${id}\n`,
    err: `Restored person ${id}, who was deprovisioned. The name is unchanged.\n`,
  })
  assert.deepEqual((await entries()).slice(before.length), ['Restored "Ada" (Ada@acme.example).'])
})
