import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { chosenWebhookEvents, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { webhookPayload } from '@muster/contract/webhook-events.ts'
import { Compile } from 'typebox/compile'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { sourceAt } from '../../../test/support/source-at.ts'
import { newChange, systemActorAt } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type Announcement, announce } from './announce.ts'

const app = testApp()
const make = makeIn(app.database)
let organizationId: string

beforeEach(async () => {
  await app.reset()
  organizationId = app.tenant.organizationId
})

const queued = () =>
  app.db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhook_messages as message', (join) =>
      join
        .onRef('message.organization_id', '=', 'delivery.organization_id')
        .onRef('message.id', '=', 'delivery.message_id'),
    )
    .selectAll('delivery')
    .select(['message.body', 'message.message_id as ulid'])
    .orderBy('delivery.id')
    .execute()

const say = (...news: Announcement[]) => transact(app.db, (tx) => announce(tx, news))

async function world() {
  const owner = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  const device = await make.device(organizationId, {
    name: 'Mac',
    registered_owner_id: owner.id,
    auth_state: 'blocked',
  })
  const check = await make.check(organizationId, { name: 'Disk' })
  // A locale may have another order of the two.
  const tags = ['audit', 'Baseline'].map((name) => ({ organization_id: organizationId, name }))
  const made = await app.db.insertInto('check_tags').values(tags).returning('id').execute()
  const assigned = made.map(({ id }) => ({ organization_id: organizationId, check_id: check.id, check_tag_id: id }))
  await app.db.insertInto('check_tag_assignments').values(assigned).execute()
  await app.db.updateTable('devices').set({ auth_state: 'blocked' }).execute()
  return { owner, device, check }
}

test('what an endpoint is told of each event has the fields of its schema, and is frozen', async () => {
  const { owner, device, check } = await world()
  const [d, c, p] = [Number(device.id), Number(check.id), Number(owner.id)]
  const common = { organizationId, cause: 'T', at: startOfTests }
  const onDevice = { ...common, deviceId: device.id, deviceName: 'Mac' }
  const issue = { ...common, deviceId: device.id, issueId: '7', checkId: check.id, title: 'Disk is open' }
  const signIn = {
    ...{ ...onDevice, authLogId: '9', agentVersion: '5.12.0', personId: owner.id },
    ...{ browserName: 'Firefox', browserVersion: '140' },
  }
  const request = { ...onDevice, requestId: '3', personId: owner.id, personEmail: owner.email, message: 'Please' }
  const deviceUrl = `${baseUrl}/devices/${d}`
  const ownerUrl = `${baseUrl}/people/${p}`
  const news = { device_id: d, device_name: 'Mac', device_status: 'blocked', device_url: deviceUrl }
  const registered_owner = { id: p, name: 'Ana', email: 'ana@acme.example', owner_url: ownerUrl }
  const signInData = {
    ...{ auth_log_url: `${baseUrl}/auth_logs/9`, browser_name: 'Firefox', browser_version: '140' },
    ...{ device_id: d, device_name: 'Mac', launcher_version: '5.12.0', person_id: p },
  }
  const issueData = {
    ...{ issue_id: 7, title: 'Disk is open', check_id: c, device_id: d },
    device: { id: d, name: 'Mac' },
    check: { id: c, name: 'Disk', tags: ['Baseline', 'audit'] },
  }
  const admin = { firstName: 'Bo', lastName: 'Li', email: 'bo@acme.example', access: 'full' } as const
  const cases: [Announcement, object][] = [
    [{ ...signIn, type: 'auth_logs.success' }, signInData],
    [
      { ...signIn, type: 'auth_logs.failure', deviceId: null, deviceName: null, agentVersion: null, personId: null },
      { ...signInData, device_id: null, device_name: null, launcher_version: null, person_id: null },
    ],
    [
      { ...onDevice, type: 'device_trust.status_changed', from: 'good', to: 'notified', initiator: 'policy' },
      { ...news, device_status: 'notified' },
    ],
    [
      { ...onDevice, type: 'devices.created' },
      { ...news, registered_owner },
    ],
    [
      { ...onDevice, type: 'devices.registered' },
      { ...news, registered_owner },
    ],
    [
      { ...onDevice, type: 'devices.registration_suspended', reason: 'It enrolled again.' },
      { ...news, registered_owner, reason: 'It enrolled again.' },
    ],
    [
      { ...onDevice, type: 'devices.identity_conflict' },
      { ...news, registered_owner },
    ],
    [
      { ...onDevice, type: 'devices.updated', changes: [{ field: 'operating_system', from: null, to: 'macOS 26.1' }] },
      { ...news, registered_owner, changes: [{ field: 'operating_system', from: null, to: 'macOS 26.1' }] },
    ],
    [
      { ...onDevice, type: 'devices.destroyed' },
      { device_id: d, device_name: 'Mac', status: 'blocked' },
    ],
    [{ ...issue, type: 'issues.new' }, issueData],
    [{ ...issue, type: 'issues.resolved' }, issueData],
    [
      { ...request, type: 'requests.issue_exemption', issueIds: ['7'] },
      {
        ...{ device_id: d, device_name: 'Mac', person_email: owner.email, message: 'Please' },
        issues: [{ issue_id: 7, issue_url: `${baseUrl}/issues/7` }],
      },
    ],
    [
      { ...request, type: 'requests.registration' },
      {
        device: { id: d, name: 'Mac', url: deviceUrl },
        requester: { id: p, email: owner.email, url: ownerUrl },
        message: 'Please',
      },
    ],
    [
      { ...common, ...admin, type: 'admin_users.created', deviceId: null, adminUserId: '4' },
      {
        ...{ admin_user_id: 4, first_name: 'Bo', last_name: 'Li', email: 'bo@acme.example', access: 'full' },
        admin_user_url: `${baseUrl}/admin_users/4`,
      },
    ],
  ]
  const endpoint = await make.webhookEndpoint(organizationId, { events: chosenWebhookEvents })
  await say(...cases.map(([announcement]) => announcement))
  const rows = await queued()
  assert.deepEqual(
    rows.map(({ body }) => JSON.parse(body)),
    cases.map(([{ type }, data], index) => ({
      event: type,
      id: rows[index]?.ulid,
      timestamp: '2026-11-20T10:00:00Z',
      cause: common.cause,
      data,
    })),
  )
  for (const { body, event } of rows) {
    const schema = webhookPayload(webhookEvents.find((name) => name === event) ?? 'webhook.test')
    assert.deepEqual([...Compile(schema).Errors(JSON.parse(body))], [], event)
  }
  assert.ok(rows.every((row) => row.endpoint_id === endpoint.id && row.state === 'pending'))
  assert.deepEqual(
    rows.filter((row) => row.ordered_by !== null).map((row) => [row.event, row.ordered_by]),
    [['device_trust.status_changed', device.id]],
  )
  const told = new Set<string>([...cases.map(([{ type }]) => type), 'audit_log.recorded'])
  assert.deepEqual(new Set<string>(chosenWebhookEvents), told, 'every event is tried')
})

test('an entry of the audit log is told, and the telling is no entry', async () => {
  await make.webhookEndpoint(organizationId, { events: ['audit_log.recorded'] })
  const entry = { action: 'records.exported', about: {}, description: 'Did it.' } as const
  const context = newChange(systemActorAt(sourceAt('192.0.2.1')), organizationId, startOfTests)
  await transact(app.db, (tx) => recordAudit(tx, entry, context))
  const bodies = (await queued()).map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    bodies.map(({ cause, data }) => [cause, data]),
    [
      [
        context.cause,
        {
          ...{ actor_name: 'Muster', actor_type: 'System', actor_email: null, ip_address: '192.0.2.1' },
          action: 'records.exported',
          description: 'Did it.',
        },
      ],
    ],
  )
})

test('only enabled endpoints of the organization that chose an event are told of it', async () => {
  const { device } = await world()
  const other = await app.addTenant('Other')
  const chosen = await make.webhookEndpoint(organizationId)
  await make.webhookEndpoint(organizationId, { events: ['issues.new'] })
  await make.webhookEndpoint(organizationId, { disabled_at: startOfTests, disabled_reason: 'by_admin' })
  await make.webhookEndpoint(organizationId, { deleted_at: startOfTests })
  await make.webhookEndpoint(other.organizationId)
  const news = { organizationId, cause: 'T', at: startOfTests, deviceId: device.id }
  await say({ ...news, type: 'device_trust.status_changed', from: 'good', to: 'blocked', initiator: 'policy' })
  assert.deepEqual(
    (await queued()).map((row) => row.endpoint_id),
    [chosen.id],
  )
  await say({ ...news, type: 'devices.created', deviceName: 'Mac' })
  assert.equal((await app.db.selectFrom('webhook_messages').select('id').execute()).length, 1, 'nobody chose it')
})

test('what is queued goes with the transaction that did not become true', async () => {
  const { device } = await world()
  await make.webhookEndpoint(organizationId)
  const news = { organizationId, cause: 'T', at: startOfTests, deviceId: device.id } as const
  const failing = transact(app.db, async (tx) => {
    await announce(tx, [
      { ...news, type: 'device_trust.status_changed', from: 'good', to: 'blocked', initiator: 'policy' },
    ])
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.deepEqual(await queued(), [])
  assert.deepEqual(await app.db.selectFrom('webhook_messages').select('id').execute(), [])
})
