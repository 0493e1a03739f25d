import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { exemptCheck } from '../../compliance/exemptions/exempt-check.ts'

const app = testApp()
const make = makeIn(app)
const day = 24 * 3_600_000

beforeEach(() => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

/** Five Macs: two fail and may be blocked, one is exempted, one in a spared group, one of nobody; and one is unknown. */
async function failingFleet() {
  const { organizationId } = app.tenant
  const [ana, ben] = [
    await make.person(organizationId, { name: 'Ana Ruiz' }),
    await make.person(organizationId, { name: 'Ben Ode' }),
  ]
  const group = await make.deviceGroup(organizationId, { name: 'Executives' })
  const deviceOf = (name: string, owner?: { id: string }, groupIds: string[] = []) =>
    make.device(organizationId, { name, groupIds, ...(owner && { registered_owner_id: owner.id }) })
  const devices = {
    one: await deviceOf('one', ana),
    two: await deviceOf('two', ben),
    exempted: await deviceOf('exempted', ana),
    spared: await deviceOf('spared', ana, [group.id]),
    nobodys: await deviceOf('nobodys'),
    unknown: await deviceOf('unknown', ana),
  }
  const check = await make.check(organizationId, { name: 'Disk' })
  for (const [name, device] of Object.entries(devices)) {
    await make.result({ device, check, rows: name === 'unknown' ? 'UNKNOWN' : 'FAIL', at: app.now() })
  }
  const exemption = { deviceId: devices.exempted.id, checkId: check.id, reason: 'Old.', expiresAt: null }
  await transact(app.db, (tx) => exemptCheck(tx, exemption, systemChange(organizationId, app.now())))
  return { check, group, devices }
}

const blocking = (groupId: string) => ({
  remediation_strategy: 'warn_then_block',
  block_auth_grace_period_days: 7,
  blocking_excluded_groups: [groupId],
})

test('previewCheckConfiguration says who is blocked when, who is spared, and of whom nothing is known', async () => {
  const { check, group, devices } = await failingFleet()
  const browser = await signedIn()
  const path = `/checks/${check.id}/configuration_preview`
  const { status, body } = await browser.ask('POST', path, { change: blocking(group.id) })
  assert.equal(status, 200)
  const end = plusMs(app.now(), 7 * day)
  const { token, ...shown } = body
  const warned = { today: 'good', will_block_at: null, after_saving: 'will_block', at_end: 'blocked', blocks_at: end }
  const names = (name: keyof typeof devices, owner: string | null) => ({
    device_id: devices[name].id,
    device_name: name,
    owner_name: owner,
  })
  assert.deepEqual(shown, {
    computed_at: app.now(),
    ends_at: end,
    changed: ['blocking_excluded_groups', 'remediation_strategy'],
    all_devices: 6,
    blocked_now: 0,
    blocked_at_end: 2,
    hit: 2,
    held: null,
    released: 0,
    joined: 0,
    left: 0,
    moves: { good: 0, notified: 1, will_block: 2, blocked: 0 },
    people: 2,
    people_on_only_device: 1,
    receivers: { connections: 0, streams: 0, webhooks: 0, failing: 0 },
    effects: {
      report_only: { notified: 0, blocked_now: 0, blocked_at_end: 0, ends_at: app.now() },
      notify_only: { notified: 3, blocked_now: 0, blocked_at_end: 0, ends_at: app.now() },
      warn_then_block: { notified: 3, blocked_now: 0, blocked_at_end: 2, ends_at: end },
      block_immediately: { notified: 3, blocked_now: 2, blocked_at_end: 2, ends_at: app.now() },
    },
    blocked: [
      { ...names('one', 'Ana Ruiz'), ...warned, is_only_device: false },
      { ...names('two', 'Ben Ode'), ...warned, is_only_device: true },
    ],
    spared: [
      { ...names('exempted', 'Ana Ruiz'), reason: 'exempted', group_name: null },
      { ...names('spared', 'Ana Ruiz'), reason: 'excluded_group', group_name: 'Executives' },
      { ...names('nobodys', null), reason: 'unregistered', group_name: null },
    ],
    spared_by: [
      { reason: 'exempted', group_name: null, count: 1 },
      { reason: 'excluded_group', group_name: 'Executives', count: 1 },
      { reason: 'unregistered', group_name: null, count: 1 },
    ],
    undecided: [{ ...names('unknown', 'Ana Ruiz'), reason: 'unknown' }],
    undecided_by: [{ reason: 'unknown', count: 1 }],
  })
  assert.match(token, /^1\.0\.2\.0\.0\.[\w-]{22}$/)
  const few = await browser.ask('POST', path, { change: blocking(group.id), most: 1 })
  assert.deepEqual([few.body.blocked.length, few.body.blocked_at_end, few.body.token], [1, 2, token])
})

test('savePreviewedCheckConfiguration saves what was seen, once', async () => {
  const { check, group } = await failingFleet()
  const browser = await signedIn()
  const begins_blocking_on = plusMs(app.now(), 9 * day)
  const unsaved = { change: blocking(group.id), begins_blocking_on }
  const preview = await browser.ask('POST', `/checks/${check.id}/configuration_preview`, unsaved)
  assert.equal(preview.body.ends_at, begins_blocking_on)
  assert.deepEqual(preview.body.changed, ['blocking_excluded_groups', 'remediation_strategy', 'begins_blocking_on'])
  const saving = { ...unsaved, preview: preview.body.token }
  const saved = await browser.ask('POST', `/checks/${check.id}/previewed_configuration`, saving)
  assert.equal(saved.status, 200)
  assert.deepEqual(
    [saved.body.remediation_strategy, saved.body.begins_blocking_on, saved.body.blocking_excluded_groups],
    ['warn_then_block', begins_blocking_on, [group.id]],
  )
  const audit = await browser.ask('GET', '/audit_logs?per_page=1')
  assert.match(
    audit.body.data[0].description,
    /^Updated the configuration of the check "Disk": .*strategy changed from .*start of blocking changed from no date to/,
  )
  const again = await browser.ask('POST', `/checks/${check.id}/previewed_configuration`, saving)
  assert.deepEqual(
    [again.status, again.body.error, again.body.message],
    [422, 'preview_outdated', 'Someone else changed the configuration in the meantime. Refresh and try again.'],
  )
})

test('a save is refused when its preview no longer holds, and nothing is written', async () => {
  const { check, devices } = await failingFleet()
  const browser = await signedIn()
  const change = { remediation_strategy: 'block_immediately' }
  const preview = await browser.ask('POST', `/checks/${check.id}/configuration_preview`, { change })
  const save = (body: object) => browser.ask('POST', `/checks/${check.id}/previewed_configuration`, body)
  const message = '3 blocked at once became 2; look again.'
  await make.result({ device: devices.two, check, rows: 'PASS', at: plusMs(app.now(), 1_000) })
  const refused = await save({ change, preview: preview.body.token })
  assert.deepEqual(
    [refused.status, refused.body],
    [422, { error: 'preview_outdated', message, errors: [{ field: 'preview', message }] }],
  )
  app.setNow(plusMs(app.now(), 2_000))
  const other = await make.device(app.tenant.organizationId, {
    registered_owner_id: (await make.person(app.tenant.organizationId)).id,
  })
  await make.result({ device: other, check, rows: 'FAIL', at: app.now() })
  assert.equal(
    (await save({ change, preview: preview.body.token })).body.message,
    'Other devices are affected than the preview showed. Refresh and try again.',
  )
  assert.equal((await save({ change, preview: 'x' })).status, 422)
  assert.equal((await save({ change: { paused: true }, preview: preview.body.token })).status, 422)
  const stored = await browser.ask('GET', `/checks/${check.id}/configurations`)
  assert.deepEqual([stored.body.revision, stored.body.remediation_strategy], ['1', 'report_only'])
})

test('a preview names the members that are wrong, as saving does', async () => {
  const { check } = await failingFleet()
  const browser = await signedIn()
  const foreign = await app.addTenant('Other')
  const group = await make.deviceGroup(foreign.organizationId)
  const change = { targeted_groups: [group.id] }
  const errors = [{ field: 'targeted_groups/0', message: 'there is no such device group' }]
  const preview = await browser.ask('POST', `/checks/${check.id}/configuration_preview`, { change })
  assert.deepEqual([preview.status, preview.body.errors], [422, errors])
  const wrong = { change: { block_auth_grace_period_days: -1 } }
  const fault = await browser.ask('POST', `/checks/${check.id}/configuration_preview`, wrong)
  assert.deepEqual([fault.status, fault.body.errors[0].field], [422, 'change/block_auth_grace_period_days'])
})

test('administrators who may not configure checks, and other organizations, see and save nothing', async () => {
  const { check } = await failingFleet()
  const body = { change: { remediation_strategy: 'block_immediately' }, preview: '1.0.0.x' }
  const limited = await signedIn({ email: 'lim@acme.example', access: 'limited', restrictions: ['configure_checks'] })
  const foreign = await app.addTenant('Other')
  const stranger = await signedIn({ email: 'eve@other.example', organizationId: foreign.organizationId })
  for (const path of [`/checks/${check.id}/configuration_preview`, `/checks/${check.id}/previewed_configuration`]) {
    const sent = path.endsWith('preview') ? { change: body.change } : body
    assert.equal((await limited.ask('POST', path, sent)).body.error, 'permission_missing')
    const unknown = await stranger.ask('POST', path.replace(check.id, '900000000000000001'), sent)
    const answer = await stranger.ask('POST', path, sent)
    assert.deepEqual([answer.status, answer.body], [404, unknown.body])
  }
})
