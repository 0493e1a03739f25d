import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, signedInAdmin } from '../../../test/support/console.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { scimClient } from '../../../test/support/scim-client.ts'
import { revokeScimToken } from '../../access/scim/revoke-token.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'

const app = testApp()
const make = makeIn(app)
const scim = scimClient(app)
const start = '2026-11-20T10:00:00.000Z'

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
})

const missing = { error: 'not_found', message: 'There is no such record.' }
const sentence = 'SCIM provides this person. Deprovision or restore them in your identity provider.'

const provided = {
  error: 'person_provided',
  message: sentence,
  errors: [{ field: '', message: sentence }],
}

type Options = { key?: string; version?: string }

const asking = ({ key = app.tenant.key, version }: Options = {}) => ({
  key,
  ...(version && { headers: { 'x-service-api-version': version } }),
})
const deprovision = (id: string, options?: Options) => app.ask('DELETE', `/people/${id}`, asking(options))
const restore = (id: string, options?: Options) =>
  app.ask('POST', `/deprovisioned_people/${id}/restore`, asking(options))
const add = (email: string, options?: Options) =>
  app.ask('POST', '/people', { ...asking(options), body: { name: 'Cleo', email } })

const audits = async (): Promise<[string, string, string | null][]> =>
  (await app.db.selectFrom('audit_logs').selectAll().where('actor_name', '!=', 'Muster').orderBy('id').execute()).map(
    (entry) => [...([entry.description, entry.actor_name, entry.actor_id] as const)],
  )

const isOut = async (id: string) => {
  const person = app.db.selectFrom('people').select('deprovisioned_at').where('id', '=', id)
  return (await person.executeTakeFirstOrThrow()).deprovisioned_at !== null
}

const change = () => systemChange(app.tenant.organizationId, app.now())

const signedIn = (restrictions?: readonly string[]) => signedInAdmin(app, restrictions)

/** Someone of SCIM, with the token of the identity provider. */
async function fromScim() {
  await scim.begin()
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const user = await scim.ask('POST', '/Users', { body: { schemas, userName: 'ana@acme.example' } })
  assert.equal(user.status, 201)
  const { id: tokenId } = await app.db.selectFrom('scim_tokens').select('id').executeTakeFirstOrThrow()
  const activate = (active: boolean) =>
    scim.ask('PUT', `/Users/${user.body.id}`, { body: { schemas, userName: 'ana@acme.example', active } })
  return { id: user.body.id as string, tokenId, activate }
}

for (const version of apiVersions) {
  test(`${version}: a person is deprovisioned and restored, each with its entry in the audit log`, async () => {
    const { organizationId, keyId } = app.tenant
    const ana = await make.person(organizationId, {
      name: 'Ana',
      email: 'ana@acme.example',
      has_used_first_trust: true,
    })
    const group = await make.personGroup(organizationId, { personIds: [ana.id] })
    const mac = await make.device(organizationId, { name: 'Mac', registered_owner_id: ana.id })
    const phone = await make.device(organizationId, {
      name: 'Phone',
      device_type: 'iOS',
      form_factor: 'phone',
      registered_owner_id: ana.id,
    })
    const read = (await app.ask('GET', `/people/${ana.id}`)).body
    const { usernames: _, ...shared } = { ...read, has_registered_device: false }

    const gone = await deprovision(ana.id, { version })
    assert.deepEqual([gone.status, { ...gone.body, api_url: '' }], [200, { ...shared, api_url: '' }])
    assert.match(gone.body.api_url, new RegExp(`/people/${ana.id}$`))
    assert.equal((await app.ask('GET', `/devices/${mac.id}`)).body.registered_at, null)
    assert.equal((await app.ask('GET', `/devices/${phone.id}`)).status, 404)
    const by = ['Full access', keyId]
    const entries = [
      ['Ended the registration of the device "Mac" to "Ana".', ...by],
      ['Ended the registration of the device "Phone" to "Ana" and deleted the device.', ...by],
      ['Deprovisioned "Ana" (ana@acme.example).', ...by],
    ]
    assert.deepEqual(await audits(), entries)
    const again = await deprovision(ana.id, { version })
    assert.deepEqual([again.status, again.body], [404, missing])

    const back = await restore(ana.id, { version })
    assert.deepEqual([back.status, back.body], [200, { ...read, has_registered_device: false }])
    assert.deepEqual(await restore(ana.id, { version }).then(({ status, body }) => [status, body]), [200, back.body])
    entries.push(['Restored "Ana" (ana@acme.example).', ...by])
    assert.deepEqual(await audits(), entries)
    const members = (await app.ask('GET', `/person_groups/${group.id}/people`)).body.data
    assert.deepEqual(members, [back.body])
    assert.equal((await app.ask('GET', `/devices/${mac.id}`)).body.registered_at, null)
    const { has_used_first_trust: isTrusted } = await app.db
      .selectFrom('people')
      .select('has_used_first_trust')
      .executeTakeFirstOrThrow()
    assert.equal(isTrusted, false)
  })

  test(`${version}: a person is added by a key, and restored who was deprovisioned`, async () => {
    const gone = await make.person(app.tenant.organizationId, {
      name: 'Gone',
      email: 'gone@acme.example',
      deprovisioned_at: app.now(),
    })
    const added = await add('cleo@acme.example', { version })
    assert.deepEqual([added.status, added.body], [200, { id: added.body.id, is_restored: false }])
    const person = await app.ask('GET', `/people/${added.body.id}`)
    assert.deepEqual([person.body.name, person.body.email], ['Cleo', 'cleo@acme.example'])
    const again = await add('CLEO@acme.example', { version })
    assert.deepEqual(
      [again.status, again.body.error, again.body.errors],
      [422, 'invalid', [{ field: 'email', message: 'Another person has this address.' }]],
    )
    assert.deepEqual((await add('gone@acme.example', { version })).body, { id: gone.id, is_restored: true })
    assert.equal((await add('not an address', { version })).status, 422)
    assert.deepEqual(
      (await audits()).map(([description]) => description),
      ['Added the person "Cleo" (cleo@acme.example).', 'Restored "Gone" (gone@acme.example).'],
    )
  })
}

test('who is of another organization or was never there is not found', async () => {
  const other = await app.addTenant('Other')
  const here = await make.person(other.organizationId)
  const gone = await make.person(other.organizationId, { deprovisioned_at: app.now() })
  for (const id of [here.id, gone.id, '900000000000000001']) {
    for (const ask of [deprovision, restore]) {
      const { status, body } = await ask(id)
      assert.deepEqual([status, body], [404, missing])
    }
    const browser = await signedIn()
    assert.equal((await browser.ask('GET', `/views/people/${id}`)).status, 404)
  }
  assert.deepEqual([await isOut(here.id), await isOut(gone.id)], [false, true])
})

test('it needs Manage People, and of someone who has devices Remove Devices as well', async () => {
  const { organizationId, readOnlyKey } = app.tenant
  const bare = await make.person(organizationId)
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  for (const key of [readOnlyKey, await app.addKey(['remove_devices', 'update_devices'])]) {
    for (const { status, body } of [
      await deprovision(bare.id, { key }),
      await restore(bare.id, { key }),
      await add('cleo@acme.example', { key }),
    ]) {
      assert.deepEqual([status, body.error], [403, 'permission_missing'])
      assert.match(body.message, /Manage People/)
    }
  }
  const key = await app.addKey(['manage_people'])
  assert.equal((await deprovision(bare.id, { key })).status, 200)
  const before = await audits()
  const refused = await deprovision(owner.id, { key })
  assert.deepEqual([refused.status, refused.body.error], [403, 'permission_missing'])
  assert.match(refused.body.message, /Remove Devices/)
  assert.deepEqual([await isOut(owner.id), await audits()], [false, before])
  assert.notEqual((await app.ask('GET', `/devices/${device.id}`)).body.registered_at, null)
  const both = await app.addKey(['manage_people', 'remove_devices'])
  assert.equal((await deprovision(owner.id, { key: both })).status, 200)
})

test('whom SCIM provides, SCIM alone deprovisions and restores', async () => {
  const { id, activate } = await fromScim()
  // Registered to them, as the refusal comes before what it would end.
  const device = await make.device(app.tenant.organizationId, { registered_owner_id: id })
  const before = await audits()
  const refused = await deprovision(id)
  assert.deepEqual([refused.status, refused.body], [422, provided])
  assert.equal((await restore(id)).status, 200, 'who is there stays there')
  assert.deepEqual([await isOut(id), await audits()], [false, before])
  assert.notEqual((await app.ask('GET', `/devices/${device.id}`)).body.registered_at, null)

  assert.equal((await activate(false)).body.active, false)
  const left = await audits()
  for (const answer of [await restore(id), await add('ANA@acme.example')]) {
    assert.deepEqual([answer.status, answer.body], [422, provided])
  }
  assert.deepEqual([await isOut(id), await audits()], [true, left])
  assert.equal((await activate(true)).body.active, true)
})

test('a token that is revoked, a feature that is off and a user that was deleted provide nobody', async () => {
  const { id, tokenId } = await fromScim()
  const { organizationId } = app.tenant
  const other = await make.person(organizationId)
  const browser = await signedIn()
  const isProvided = async (personId = id) => (await browser.ask('GET', `/views/people/${personId}`)).body.is_provided
  const outAndBack = async () => {
    assert.equal(await isProvided(), false)
    assert.deepEqual([(await deprovision(id)).status, (await restore(id)).status], [200, 200])
    assert.equal((await deprovision(id)).status, 200)
    assert.deepEqual((await add('ana@acme.example')).body, { id, is_restored: true })
  }
  assert.deepEqual([await isProvided(), await isProvided(other.id)], [true, false])
  // A token of another organization provides nobody here.
  await scim.addToken((await app.addTenant('Other')).organizationId)

  await transact(app.db, (tx) => setFeature(tx, { feature: 'scim', isOn: false }, change()))
  await outAndBack()
  await transact(app.db, (tx) => setFeature(tx, { feature: 'scim', isOn: true }, change()))
  assert.equal((await deprovision(id)).status, 422)

  await transact(app.db, (tx) => revokeScimToken(tx, { id: tokenId }, change()))
  await outAndBack()
  await scim.begin()
  assert.equal(await isProvided(), true)
  assert.equal((await scim.ask('DELETE', `/Users/${id}`)).status, 204)
  assert.equal(await isProvided(), false)
  assert.equal((await restore(id)).status, 200)
})

test('in the console it needs a fresh proof and the powers of the session', async () => {
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  await make.device(organizationId, { registered_owner_id: ana.id })
  const path = `/people/${ana.id}`
  const restoring = `/deprovisioned_people/${ana.id}/restore`
  const browser = await signedIn()
  const limited = await signedIn(['remove_devices'])
  const reader = await signedIn(['manage_people'])
  assert.equal((await limited.ask('DELETE', path)).body.error, 'permission_missing')
  assert.equal((await reader.ask('DELETE', path)).body.error, 'permission_missing')
  assert.equal((await reader.ask('POST', restoring)).body.error, 'permission_missing')
  assert.equal((await reader.ask('POST', '/people', { name: 'Cleo', email: 'cleo@acme.example' })).status, 403)
  assert.equal((await limited.ask('POST', '/people', { name: 'Cleo', email: 'cleo@acme.example' })).status, 200)

  app.setNow('2026-11-20T10:06:00.000Z')
  for (const [method, asked] of [
    ['DELETE', path],
    ['POST', restoring],
  ] as const) {
    const stale = await browser.ask(method, asked)
    assert.deepEqual([stale.status, stale.body.error], [403, 'step_up_needed'])
  }
  assert.equal(await isOut(ana.id), false)
  const fresh = await signedIn()
  assert.equal((await fresh.ask('DELETE', path)).status, 200)
  assert.equal((await fresh.ask('GET', `/views/people/${ana.id}`)).body.deprovisioned_at, '2026-11-20T10:06:00.000Z')
  assert.equal((await fresh.ask('POST', restoring)).body.id, ana.id)
  const log = (await fresh.ask('GET', '/views/audit_logs')).body.data
  assert.equal(log[0].description, 'Restored "Ana" (ana@acme.example).')
})

test('getPersonView says how a person stands, and whether an administrator has the address', async () => {
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { email: 'Ana@acme.example' })
  const ben = await make.person(organizationId, { email: 'ben@acme.example', deprovisioned_at: start })
  const browser = await signedIn()
  await addAdmin(app, { email: 'ana@ACME.example' })
  const other = await app.addTenant('Other')
  await addAdmin(app, { email: 'ben@acme.example', organizationId: other.organizationId })
  const view = async (id: string) => (await browser.ask('GET', `/views/people/${id}`)).body
  assert.deepEqual(await view(ana.id), {
    ...{ id: ana.id, deprovisioned_at: null },
    ...{ is_provided: false, is_administrator: true },
  })
  assert.deepEqual(await view(ben.id), {
    ...{ id: ben.id, deprovisioned_at: start },
    ...{ is_provided: false, is_administrator: false },
  })
})

testOnPostgres('someone whom SCIM is linking at this moment is not deprovisioned by hand', async () => {
  await scim.begin()
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { email: 'ana@acme.example' })
  const [held, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const linking = transact(app.db, async (tx) => {
    await tx.selectFrom('people').select('id').where('id', '=', ana.id).forNoKeyUpdate().execute()
    const times = { created_at: start, updated_at: start, attributes: '{}' }
    const user = { organization_id: organizationId, person_id: ana.id, user_name: 'ana@acme.example', ...times }
    await tx.insertInto('scim_users').values(user).execute()
    held.resolve()
    await finish.promise
  })
  await held.promise
  const asked = deprovision(ana.id)
  await until(30_000, async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
    return rows.length > 0
  })
  finish.resolve()
  await linking
  assert.equal((await asked).body.error, 'person_provided')
  assert.equal(await isOut(ana.id), false)
})
