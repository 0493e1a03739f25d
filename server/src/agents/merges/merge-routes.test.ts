import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)
let organizationId: string

beforeEach(async () => {
  await app.reset()
  organizationId = app.tenant.organizationId
})

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const previewPath = (kept: string, other: string) => `/views/devices/${kept}/merge_preview?other_id=${other}`
const rows = (table: 'devices' | 'device_group_members' | 'check_results' | 'events' | 'device_groups') =>
  app.db.selectFrom(table).selectAll().execute()

/** A kept device with nothing, and another one with all that it can take over. */
async function records() {
  const owner = await make.person(organizationId, { name: 'Ada Ferreira' })
  const group = await make.deviceGroup(organizationId, { name: 'Pilot' })
  const kept = await make.device(organizationId, { name: 'kept', serial: 'SERIAL-1' })
  const other = await make.device(organizationId, {
    ...{ name: 'other', serial: 'Serial-1', hardware_uuid: 'UUID-1', note: 'In the lab', groupIds: [group.id] },
    registered_owner_id: owner.id,
  })
  const exempted = await make.check(organizationId, { name: 'Exempted' })
  const failed = await make.check(organizationId, { name: 'Failed' })
  await make.result({ device: other, check: failed, rows: 'FAIL' })
  const exemption = { exempted_at: app.now(), exemption_reason: 'A build server.', status: 'out_of_scope' as const }
  await app.db
    .updateTable('check_results')
    .set({ ...exemption, in_scope_status: 'pending' })
    .where('device_id', '=', other.id)
    .where('check_id', '=', exempted.id)
    .execute()
  return { owner, group, kept, other, exempted }
}

test('listTwinsOfDevice, previewDeviceMerge and mergeDevices: what the kept device has none of, it takes over', async () => {
  const { owner, group, kept, other, exempted } = await records()
  const browser = await signedIn()
  const same = { serial: true, hardware_uuid: false }
  const twins = await browser.ask('GET', `/views/devices/${kept.id}/twins`)
  assert.deepEqual(twins.body, { data: [{ id: other.id, name: 'other', same, last_seen_at: null }] })
  const preview = await browser.ask('GET', previewPath(kept.id, other.id))
  assert.equal(preview.status, 200)
  assert.deepEqual(preview.body, {
    kept: {
      ...{ id: kept.id, name: 'kept', owner_name: null, serial: 'SERIAL-1', hardware_uuid: null },
      ...{ last_seen_at: null, open_issues: 0 },
    },
    other: {
      ...{ id: other.id, name: 'other', owner_name: 'Ada Ferreira', serial: 'Serial-1', hardware_uuid: 'UUID-1' },
      ...{ last_seen_at: null, open_issues: 1 },
    },
    ...{ same, agent: null, both_report: false, needs_confirmation: false },
    takes: { owner_name: 'Ada Ferreira', note: true, group_names: ['Pilot'], exempted_checks: ['Exempted'] },
    needs: ['manage_user_requests', 'manage_device_groups'],
    suspends_registration: false,
  })

  const merged = await browser.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })
  assert.equal(merged.status, 200)
  const { id, name, note, hardware_uuid, registered_owner_info: registered } = merged.body
  assert.deepEqual([id, name, note, hardware_uuid], [kept.id, 'kept', 'In the lab', 'UUID-1'])
  assert.equal(registered.identifier, owner.id)
  const members = (await rows('device_group_members')) as { device_id: string }[]
  assert.ok(members.some(({ device_id: deviceId }) => deviceId === kept.id))
  const groups = (await rows('device_groups')) as { id: string; members_count: number }[]
  assert.deepEqual(
    groups.map((row) => [row.id, row.members_count]),
    [[group.id, 1]],
  )
  const exemption = await app.db
    .selectFrom('check_results')
    .select(['status', 'exemption_reason'])
    .where('device_id', '=', kept.id)
    .where('check_id', '=', exempted.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(exemption, { status: 'out_of_scope', exemption_reason: 'A build server.' })
  assert.equal((await browser.ask('GET', `/devices/${other.id}`)).status, 404)
  assert.equal((await browser.ask('GET', `/views/deleted_devices/${other.id}`)).status, 200)
  assert.deepEqual((await browser.ask('GET', `/views/devices/${kept.id}/twins`)).body, { data: [] })
})

test('whose registration of either record was ended has to ask for the kept one', async () => {
  const { kept, other } = await records()
  const [ben, eve] = [await make.person(organizationId), await make.person(organizationId)]
  const ended = (deviceId: string, personId: string, by: string) => ({
    ...{ organization_id: organizationId, device_id: deviceId, person_id: personId },
    ...{ ended_at: app.now(), ended_by: by },
  })
  const all = [ended(other.id, ben.id, 'Grace'), ended(other.id, eve.id, 'Grace'), ended(kept.id, eve.id, 'Ada')]
  await app.db.insertInto('ended_registrations').values(all).execute()
  const browser = await signedIn()
  assert.equal((await browser.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })).status, 200)
  const known = await app.db
    .selectFrom('ended_registrations')
    .select(['person_id', 'ended_by'])
    .where('device_id', '=', kept.id)
    .orderBy('person_id')
    .execute()
  assert.deepEqual(known, [
    { person_id: ben.id, ended_by: 'Grace' },
    { person_id: eve.id, ended_by: 'Ada' },
  ])
})

test('one entry names both devices and the address, and what follows is announced', async () => {
  const { kept, other } = await records()
  await make.webhookEndpoint(organizationId, { events: ['devices.registered', 'audit_log.recorded'] })
  const browser = await signedIn()
  await browser.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })
  const entries = await app.db.selectFrom('audit_logs').selectAll().orderBy('id').execute()
  const entry = entries.at(-1)
  assert.equal(
    entry?.description,
    `Merged the device "other" (${other.id}) into the device "kept" (${kept.id}), and deleted "other". The agent of the deleted device is refused.`,
  )
  assert.deepEqual([entry?.about, entry?.actor_name], [[`device:${kept.id}`, `device:${other.id}`], 'Maya Lindqvist'])
  assert.notEqual(entry?.ip_address, null)
  const events = (await rows('events')) as { type: string }[]
  assert.ok(events.some(({ type }) => type === 'devices.registered'))
  const messages = await app.db.selectFrom('webhook_messages').select('event').execute()
  assert.ok(messages.some(({ event }) => event === 'devices.registered'))
  assert.ok(messages.some(({ event }) => event === 'audit_log.recorded'))
})

test('what the kept device has of its own stays', async () => {
  const { kept, other } = await records()
  const own = await make.person(organizationId, { name: 'Grace Hopper' })
  const set = { note: 'Mine', registered_owner_id: own.id, registered_at: app.now() }
  await app.db.updateTable('devices').set(set).where('id', '=', kept.id).execute()
  const browser = await signedIn()
  const { takes } = (await browser.ask('GET', previewPath(kept.id, other.id))).body
  assert.deepEqual([takes.owner_name, takes.note], [null, false])
  const { body } = await browser.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })
  assert.deepEqual([body.note, body.registered_owner_info.identifier], ['Mine', own.id])
})

test('an owner whose registration was in doubt comes with the doubt', async () => {
  const { kept, other } = await records()
  await app.db.updateTable('devices').set({ registration_suspended_at: app.now() }).where('id', '=', other.id).execute()
  const browser = await signedIn()
  assert.equal((await browser.ask('GET', previewPath(kept.id, other.id))).body.suspends_registration, true)
  const { body } = await browser.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })
  assert.equal(body.registration_suspended_at, app.now())
})

test('devices that cannot be one are refused in words, and another organization’s are not found', async () => {
  const { kept, other } = await records()
  const linux = await make.device(organizationId, { device_type: 'Linux' })
  const foreign = await make.device((await make.organization()).id)
  const browser = await signedIn()
  const faultOf = async (keptId: string, otherId: string) => {
    const preview = await browser.ask('GET', previewPath(keptId, otherId))
    const answer = await browser.ask('POST', `/devices/${keptId}/merge`, { other_id: otherId })
    assert.deepEqual([answer.status, answer.body], [preview.status, preview.body])
    return [answer.status, answer.body.errors?.[0]?.message ?? answer.body.message]
  }
  assert.deepEqual(await faultOf(kept.id, kept.id), [422, 'is the device itself'])
  assert.deepEqual(await faultOf(kept.id, linux.id), [422, 'runs Linux, and the device that stays runs Mac'])
  assert.deepEqual(await faultOf(kept.id, foreign.id), [404, 'There is no such record.'])
  assert.deepEqual(await faultOf(foreign.id, kept.id), [404, 'There is no such record.'])
  assert.equal((await browser.ask('GET', `/views/devices/${foreign.id}/twins`)).status, 404)
  await browser.ask('DELETE', `/devices/${other.id}`)
  assert.deepEqual(await faultOf(kept.id, other.id), [422, 'is being deleted already'])
  assert.deepEqual(await faultOf(other.id, kept.id), [422, 'The device that should stay is being deleted.'])
  const untouched = await app.db.selectFrom('devices').select('id').where('deleted_at', 'is', null).execute()
  assert.equal(untouched.length, 3)
})

test('who may not delete devices may not merge them', async () => {
  const { kept, other } = await records()
  const browser = await signedIn({ access: 'limited', restrictions: ['remove_devices'] })
  assert.equal((await browser.ask('GET', previewPath(kept.id, other.id))).status, 403)
  assert.equal((await browser.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })).status, 403)
})

test('a merge needs the rights to do by hand what it moves, and none for what it leaves', async () => {
  const { kept, other, group } = await records()
  const both = ['manage_user_requests', 'manage_device_groups'] as const
  const removing = await signedIn({ access: 'limited', restrictions: both, email: 'removes@acme.example' })
  const merge = () => removing.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })
  const isRefused = async (title: RegExp) => {
    const { status, body } = await merge()
    assert.deepEqual([status, body.error], [403, 'permission_missing'])
    assert.match(body.message, title)
    const { status: still } = await removing.ask('GET', `/devices/${other.id}`)
    assert.equal(still, 200, 'nothing has happened')
  }
  const needs = async () => (await removing.ask('GET', previewPath(kept.id, other.id))).body.needs
  await isRefused(/Manage User Requests/)
  const withoutOwner = { registered_owner_id: null, registered_at: null }
  await app.db.updateTable('devices').set(withoutOwner).where('id', '=', other.id).execute()
  assert.deepEqual(await needs(), both)
  await isRefused(/Manage User Requests/)
  const active = { exempted_at: null, exemption_reason: null, status: 'pending', in_scope_status: null } as const
  await app.db.updateTable('check_results').set(active).where('status', '=', 'out_of_scope').execute()
  assert.deepEqual(await needs(), ['manage_device_groups'])
  await isRefused(/Manage Device Groups/)
  await app.db.deleteFrom('device_group_members').where('device_group_id', '=', group.id).execute()
  assert.deepEqual(await needs(), [])
  assert.equal((await merge()).status, 200)
})

test('a right moves what it is for, and nothing else', async () => {
  const owners = ['manage_user_requests', 'manage_device_groups'] as const
  const group = await make.deviceGroup(organizationId, { name: 'Pilot' })
  const moved = {
    owner: async () =>
      make.device(organizationId, { registered_owner_id: (await make.person(organizationId, { name: 'Ada' })).id }),
    exemption: async () => {
      const device = await make.device(organizationId)
      const { id } = await make.check(organizationId, { name: 'Exempted' })
      const exempted = { exempted_at: app.now(), exemption_reason: 'A server.', status: 'out_of_scope' as const }
      await app.db
        .updateTable('check_results')
        .set({ ...exempted, in_scope_status: 'pending' })
        .where('device_id', '=', device.id)
        .where('check_id', '=', id)
        .execute()
      return device
    },
    group: async () => make.device(organizationId, { groupIds: [group.id] }),
  }
  for (const [what, right] of [
    ['owner', 'manage_user_requests'],
    ['exemption', 'manage_user_requests'],
    ['group', 'manage_device_groups'],
  ] as const) {
    const [kept, other] = [await make.device(organizationId), await moved[what]()]
    const ask = async (lacking: (typeof owners)[number]) => {
      const email = `${what}-${lacking}@acme.example`
      const browser = await signedIn({ access: 'limited', restrictions: [lacking], email })
      assert.deepEqual((await browser.ask('GET', previewPath(kept.id, other.id))).body.needs, [right], what)
      const { status } = await browser.ask('POST', `/devices/${kept.id}/merge`, { other_id: other.id })
      return status
    }
    assert.equal(await ask(right), 403, `${what} without ${right}`)
    for (const rest of owners.filter((one) => one !== right)) assert.equal(await ask(rest), 200, `${what} by ${right}`)
  }
})
