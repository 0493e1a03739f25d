import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { ensurePackages } from '../../src/agents/packages/ensure-packages.ts'
import { buildApp } from '../../src/app.ts'
import { systemChange } from '../../src/base/change-context.ts'
import type { Connection } from '../../src/base/db/connect.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createLogger } from '../../src/base/logging.ts'
import type { Operation } from '../../src/http/operations.ts'
import { recordLiveAnswers } from '../../src/live-queries/record-live-answers.ts'
import { recordProblems } from '../../src/reporting/problems/record-problems.ts'
import { queueStreamSignal } from '../../src/signals/streams/queue-stream-signal.ts'
import { startStreams } from '../../src/signals/streams/start-streams.ts'
import { testApp } from '../support/app.ts'
import { makeIn } from '../support/make.ts'
import { rewrittenConnection } from '../support/rewritten-connection.ts'
import { webhookRowsIn } from '../support/webhook-rows.ts'

const harness = testApp()
const make = makeIn(harness.database)
const webhookRows = webhookRowsIn(harness.database)

type Records = Record<
  | 'device'
  | 'person'
  | 'gone'
  | 'personGroup'
  | 'deviceGroup'
  | 'check'
  | 'external'
  | 'issue'
  | 'exemptionRequest'
  | 'registrationRequest'
  | 'reportingQuery'
  | 'audit'
  | 'authLog'
  | 'package'
  | 'adminUser'
  | 'draft'
  | 'liveQuery'
  | 'liveResult'
  | 'stream'
  | 'streamEvent'
  | 'webhookEndpoint'
  | 'webhookDelivery',
  string
>
type Side = { organizationId: string; key: string; records: Records }

/** Long names that appear nowhere else, so that a leak shows in any body. */
async function populate(organizationId: string, key: string, mark: string): Promise<Side> {
  const name = (what: string) => `${mark} ${what}`
  const person = await make.person(organizationId, {
    name: name('person'),
    email: `${mark.toLowerCase()}@acme.example`,
  })
  const gone = await make.person(organizationId, {
    name: name('leaver'),
    email: `${mark.toLowerCase()}-gone@acme.example`,
    deprovisioned_at: '2026-11-19T10:00:00.000Z',
  })
  const personGroup = await make.personGroup(organizationId, { name: name('team'), personIds: [person.id] })
  const deviceGroup = await make.deviceGroup(organizationId, { name: name('fleet') })
  const check = await make.check(organizationId, { name: name('check'), issue_title: name('issue') })
  const external = await make.check(organizationId, { name: name('external'), type: 'external', platforms: ['darwin'] })
  const device = await make.device(organizationId, {
    name: name('laptop'),
    registered_owner_id: person.id,
    groupIds: [deviceGroup.id],
  })
  const issue = await make.issue({ device, check })
  const refused = { tableName: 'device_users', type: 'failed', message: name('refusal') } as const
  await recordProblems(harness.db, { organizationId, deviceId: device.id }, [refused], harness.now())
  const authLog = await make.authLog(organizationId, { person_name: name('person'), device_id: device.id })
  const adminUser = await make.adminUser(organizationId, { first_name: name('admin') })
  const asked = { requester_message: name('plea') }
  const exemptionRequest = await make.exemptionRequest({ device, person, issues: [issue] }, asked)
  const registrationRequest = await make.registrationRequest({ device, person }, asked)
  await transact(harness.db, (tx) =>
    ensurePackages(
      tx,
      harness.secrets,
      { site: { baseUrl: 'https://muster.test', caCertificate: null, productVersion: `1.0.0+${mark}` } },
      systemChange(organizationId, harness.now()),
    ),
  )
  const packages = await harness.ask('GET', '/packages', { key })
  const draft = await make.draft(organizationId, { name: name('draft') })
  const liveQuery = await make.liveQuery(organizationId, { name: name('live query'), deviceIds: [device.id] })
  const rows = JSON.stringify([{ a: name('row') }])
  const answer = { deviceId: device.id, campaignId: liveQuery, revision: 1, rowCount: 1, rows }
  await recordLiveAnswers(harness.db, organizationId, [{ ...answer, errorMessage: null, warningMessage: null }])
  const results = await harness.ask('GET', `/live_query_campaigns/${liveQuery}/query_results`, { key })
  const reportingQuery = await make.reportingQuery(organizationId, { name: name('query'), rows: [{ a: name('row') }] })
  const stream = await make.stream(organizationId, { name: name('stream'), needs_no_poll_token: true })
  const streamEvent = await transact(harness.db, (tx) =>
    queueStreamSignal(tx, {
      ...{ organizationId, streamId: stream.id, kind: 'test', event: {}, txn: name('txn'), now: harness.now() },
      ...{ deviceId: device.id, userEmail: person.email },
    }),
  )
  const webhookEndpoint = await make.webhookEndpoint(organizationId, {
    url: `https://${mark.toLowerCase()}.example/`,
    description: name('endpoint'),
    // Refuses the roll of its secret, which would answer another one each time.
    sealed_previous_secret: Buffer.alloc(0),
    previous_secret_until: '2100-01-01T00:00:00.000Z',
  })
  const webhookDelivery = await webhookRows.delivery(webhookEndpoint, { state: 'failed', last_error: name('error') })
  await webhookRows.attempt(webhookDelivery, { response: name('answer') })
  const audits = await harness.ask('GET', '/audit_logs', { key })
  return {
    organizationId,
    key,
    records: {
      device: device.id,
      person: person.id,
      gone: gone.id,
      personGroup: personGroup.id,
      deviceGroup: deviceGroup.id,
      check: check.id,
      external: external.id,
      issue: issue.id,
      exemptionRequest: exemptionRequest.id,
      registrationRequest: registrationRequest.id,
      package: packages.body.data[0].id,
      draft: draft.id,
      reportingQuery: reportingQuery.id,
      audit: audits.body.data[0].id,
      authLog: authLog.id,
      adminUser: adminUser.id,
      liveQuery,
      liveResult: results.body.data[0].id,
      stream: stream.id,
      streamEvent: streamEvent.eventId,
      webhookEndpoint: webhookEndpoint.id,
      webhookDelivery: webhookDelivery.id,
    },
  }
}

let ours: Side
let theirs: Side
let populated: Promise<void> | undefined

/** Hooks of one file run side by side, so the first test that needs the two organizations fills them. */
function sides(): Promise<void> {
  populated ??= (async () => {
    const other = await harness.addTenant('Globex')
    ours = await populate(harness.tenant.organizationId, harness.tenant.key, 'Ourmark')
    theirs = await populate(other.organizationId, other.key, 'Theirmark')
  })()
  return populated
}

/** Large enough never to be given, small enough for 64 bits. */
const nobodys = '900000000000000001'

type Asked = { method: string; url: string; body?: unknown }
type Question = { operation: Operation; own: Asked; foreign: Asked; unknown: Asked }

const recordOfCollection: Readonly<Record<string, keyof Records>> = {
  devices: 'device',
  people: 'person',
  deprovisioned_people: 'person',
  person_groups: 'personGroup',
  device_groups: 'deviceGroup',
  checks: 'check',
  issues: 'issue',
  exemption_requests: 'exemptionRequest',
  registration_requests: 'registrationRequest',
  packages: 'package',
  package_downloads: 'package',
  custom_check_drafts: 'draft',
  queries: 'reportingQuery',
  audit_logs: 'audit',
  auth_logs: 'authLog',
  admin_users: 'adminUser',
  memberships: 'device',
  live_query_campaigns: 'liveQuery',
  query_results: 'liveResult',
  ssf_streams: 'stream',
  history: 'streamEvent',
  webhook_endpoints: 'webhookEndpoint',
  deliveries: 'webhookDelivery',
}

const bodyOf: Readonly<Record<string, (records: Records) => unknown>> = {
  assignDeviceOwner: ({ person }) => ({ person_id: person }),
  registerDevices: ({ device, person }) => ({ registrations: [{ device_id: device, person_id: person }] }),
  // Names no record by its identifier: its own tests have devices and people of others.
  previewOwnerList: () => ({ csv: 'serial,email\nNONE,none@acme.example' }),
  // Refused: answers to one request after the other are compared.
  addPerson: () => ({ name: 'x', email: 'none' }),
  createCheckRefresh: ({ check }) => ({ check_id: check }),
  updateDeviceAuthenticationMode: ({ personGroup }) => ({
    authentication_mode: 'only_registered_owner_or_group_members',
    person_group_ids: [personGroup],
  }),
  updateCheckConfiguration: ({ deviceGroup }) => ({ targeted_groups: [deviceGroup] }),
  addDeviceGroupMembers: ({ device }) => ({ device_ids: [device] }),
  // Refused for our own request too, which is to stay open.
  decideExemptionRequest: () => ({ status: 'denied', internal_message: 'Not like this.' }),
  decideRegistrationRequest: () => ({ status: 'denied' }),
  createLiveQueryCampaign: ({ device }) => ({ name: 'x', sql: 'select 1', targeted_device_ids: [device] }),
  updateLiveQueryCampaign: ({ device }) => ({ targeted_device_ids: [device] }),
  // Refused, or the same twice: answers to one request after the other are compared.
  createSsfStream: () => ({ delivery: { method: 'none' } }),
  updateSsfStream: () => ({ description: 'The same' }),
  configureSsfStream: ({ stream }) => ({ stream_id: stream, description: 'The same' }),
  rotateSsfPollToken: () => ({ mode: 'disable' }),
  testSsfStream: () => ({ email: 'nobody' }),
  setSsfStreamStatus: ({ stream }) => ({ stream_id: stream, status: 'enabled' }),
  verifySsfStream: ({ stream }) => ({ stream_id: stream }),
  pollOrAcknowledgeSsfStream: () => ({ ack: 'none' }),
  replaySsfStreamEvents: () => ({ jtis: ['b4c0ffee'] }),
  resendWebhookDeliveries: () => ({ from: '2026-11-20T09:00:00Z', to: '2026-11-20T10:00:00Z' }),
  // Refused: answers to one request after the other are compared.
  createWebhookEndpoint: () => ({ url: 'http://example.com/', events: ['issues.new'] }),
  updateWebhookEndpoint: () => ({ events: ['issues.new'] }),
  rollWebhookSecret: () => ({ overlap_seconds: 60 }),
  testWebhookEndpoint: () => ({ message: '' }),
  runExternalCheck: ({ device }) => ({ device_id: device, check_data: { KOLIDE_CHECK_STATUS: 'PASS' } }),
}

/** Where the query names a record. */
const queryOf: Readonly<Record<string, (records: Records) => string>> = {
  getSsfStreamStatus: ({ stream }) => `?stream_id=${stream}`,
  removeSsfStream: ({ stream }) => `?stream_id=${stream}`,
}

const unknownRecords = new Proxy({} as Records, { get: () => nobodys })

const inQuery = -2

/** Each place where an identifier goes is asked about alone: the other places hold our own records. */
function questionsOf(operation: Operation): Question[] {
  const parts = operation.path.split('/')
  const places = parts.flatMap((part, index) =>
    part.startsWith(':') && (!(part.slice(1) in operation.textParams) || parts[index - 1] === 'ssf_streams')
      ? [index]
      : [],
  )
  const makeBody = operation.body ? bodyOf[baseName(operation.operationId)] : undefined
  const makeQuery = queryOf[operation.operationId]
  if (operation.body && !makeBody) assert.fail(`Say in \`bodyOf\` what ${operation.operationId} is asked with.`)
  const fill = (records: Records, at: number) => {
    const isExternal = operation.operationId === 'runExternalCheck'
    const url = parts
      .map((part, index) => {
        if (!part.startsWith(':')) return part
        const from = index === at ? records : ours.records
        const kind =
          recordOfCollection[parts[index - 1] ?? ''] ??
          assert.fail(`Say in \`recordOfCollection\` which record ${operation.path} names.`)
        return from[isExternal ? 'external' : kind]
      })
      .join('/')
    const body = makeBody?.(at === -1 ? records : ours.records)
    const query = makeQuery?.(at === inQuery ? records : ours.records) ?? ''
    return { method: operation.method, url: url + query, ...(body !== undefined && { body }) }
  }
  return [...places, ...(makeBody ? [-1] : []), ...(makeQuery ? [inQuery] : [])].map((at) => ({
    operation,
    own: fill(ours.records, at),
    foreign: fill(theirs.records, at),
    unknown: fill(unknownRecords, at),
  }))
}

const baseName = (operationId: string) => operationId.replace(/WithPut$/, '')

const operations = () => harness.app.kit.operations.filter((operation) => operation.access !== 'public')

async function ask(app: FastifyInstance, { method, url, body }: Asked, key: string, version?: string) {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { authorization: `Bearer ${key}`, ...(version && { 'x-service-api-version': version }) },
    ...(body !== undefined && { payload: body as object }),
  })
  return { status: response.statusCode, body: response.body }
}

/** Every answer in which another organization's record is told apart from one that never was, or shows up. */
async function leaks(app: FastifyInstance, asked = operations()): Promise<string[]> {
  const found: string[] = []
  for (const operation of asked) {
    for (const version of operation.versions) {
      for (const { foreign, unknown } of questionsOf(operation)) {
        const [one, other] = [await ask(app, foreign, ours.key, version), await ask(app, unknown, ours.key, version)]
        const isSame = one.status === other.status && withoutEcho(one.body) === withoutEcho(other.body)
        if (!isSame)
          found.push(
            `${operation.operationId} ${foreign.url}: ${one.status} ${one.body} – ${other.status} ${other.body}`,
          )
      }
      if (operation.search && operation.method === 'GET') found.push(...(await strangersIn(app, operation, version)))
    }
  }
  return found
}

/** What was refused is named by the identifier that it was asked by. */
const withoutEcho = (body: string): string =>
  body.replaceAll(/"refused":\[\{"device_id":"\d+"/g, '"refused":[{"device_id":""')

/** Rows of the other organization in our lists. */
async function strangersIn(app: FastifyInstance, operation: Operation, version: string): Promise<string[]> {
  const [question] = questionsOf(operation)
  const url = question ? question.own.url : operation.path
  const answer = await ask(app, { method: 'GET', url: `${url}?per_page=100` }, ours.key, version)
  if (answer.status !== 200) return []
  return answer.body.includes('Theirmark') ? [`${operation.operationId} lists what is not ours`] : []
}

test('no operation tells another organization’s record from one that never was, or shows one', async () => {
  await sides()
  assert.ok(operations().length > 30)
  assert.deepEqual(await leaks(harness.app), [])
})

test('the same questions about our own records are answered, so that the comparison means something', async () => {
  await sides()
  // Rotations, which other questions ask for, end it.
  await harness.db.updateTable('ssf_streams').set({ needs_no_poll_token: true }).execute()
  const deadEnds: string[] = []
  for (const operation of operations().filter(({ method }) => method === 'GET')) {
    for (const { own } of questionsOf(operation)) {
      const { status, body } = await ask(harness.app, own, ours.key)
      if (status !== 200) deadEnds.push(`${operation.operationId} ${own.url}: ${status} ${body}`)
    }
  }
  assert.deepEqual(deadEnds, [])
})

test('a cursor of another organization is refused', async () => {
  await sides()
  const page = await harness.ask('GET', '/audit_logs?per_page=1', { key: theirs.key })
  const cursor = page.body.pagination.next_cursor
  assert.ok(cursor)
  assert.equal((await harness.ask('GET', `/audit_logs?cursor=${cursor}`, { key: theirs.key })).status, 200)
  assert.equal((await harness.ask('GET', `/audit_logs?cursor=${cursor}`, { key: ours.key })).status, 400)
})

// check_results, live_query_results and ssf_stream_events are not among them: their lists ask after the record above first, so one broken predicate cannot show.
const guarded = [
  'devices',
  'people',
  'person_groups',
  'device_groups',
  'checks',
  'check_configurations',
  'issues',
  'exemption_requests',
  'registration_requests',
  'packages',
  'custom_check_drafts',
  'reporting_queries',
  'audit_logs',
  'auth_logs',
  'admin_users',
  'live_query_campaigns',
  'ssf_streams',
  'webhook_endpoints',
]

function withoutPredicate(connection: Connection, table: string): Connection {
  const predicate = new RegExp(`"${table}"\\."organization_id" = (\\$\\d+)::bigint`, 'g')
  return rewrittenConnection(connection, (text) => text.replace(predicate, '($1::bigint is not null)'))
}

for (const table of guarded) {
  test(`without the predicate on ${table} the comparison finds a leak`, async () => {
    await sides()
    const { config, secrets, database } = harness
    const connection = withoutPredicate(database.connection, table)
    const common = { connection, secrets, clock: harness.now, log: createLogger('silent') }
    const streams = await startStreams({ ...config, ...common })
    const app = buildApp({ ...common, config, streams: streams.parts })
    try {
      // Reading only: what a broken predicate let us write would spoil the tests that follow.
      const reads = operations().filter(({ method }) => method === 'GET')
      assert.notDeepEqual(await leaks(app, reads), [])
    } finally {
      await app.close()
      await streams.stop()
    }
  })
}
