import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { type MadeCheck, makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { type Actor, newChange, systemChange } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { deleteDevice } from '../registrations/delete-device.ts'
import { raiseExemptionRequest } from './raise-exemption-request.ts'
import { reopenExemptionRequest } from './reopen-exemption-request.ts'
import { withdrawExemptionRequest } from './withdraw-exemption-request.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const hour = (count: number) => plusMs(start, count * 3_600_000)
const blocking = { remediation_strategy: 'block_immediately' } as const
const link = (collection: string, id: string) => ({ identifier: id, link: `https://muster.test/${collection}/${id}` })

type Device = Awaited<ReturnType<typeof make.device>>
type Issue = Awaited<ReturnType<typeof make.issue>>
let ada: Awaited<ReturnType<typeof make.person>>
let adasActor: Actor
let device: Device
let disk: MadeCheck
let lock: MadeCheck

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
  const { organizationId } = app.tenant
  ada = await make.person(organizationId, { name: 'Ada', email: 'ada@acme.example' })
  adasActor = { type: 'Person', id: ada.id, name: ada.name, email: ada.email, source: null }
  device = await make.device(organizationId, { name: 'Mac', registered_owner_id: ada.id })
  disk = await make.check(organizationId, { issue_title: 'The disk is not encrypted', configuration: blocking })
  lock = await make.check(organizationId, { issue_title: 'The screen does not lock', configuration: blocking })
})

const within = <T>(work: (tx: Tx) => Promise<T>) => transact(app.db, work)
const ids = (issues: readonly Issue[]) => issues.map(({ id }) => id)

const raise = (
  issueIds: readonly string[],
  changed: Partial<Parameters<typeof raiseExemptionRequest>[1]> = {},
  organizationId = app.tenant.organizationId,
) => {
  const asked = { deviceId: device.id, personId: ada.id, message: 'It is a build server.' }
  return within((tx) =>
    raiseExemptionRequest(tx, { ...asked, issueIds, ...changed }, newChange(adasActor, organizationId, hour(1))),
  )
}

const reopen = (requestId: string) => {
  const reopening = { requestId }
  return within((tx) => reopenExemptionRequest(tx, reopening, systemChange(app.tenant.organizationId, hour(3))))
}

const withdraw = (requestId: string, personId = ada.id) => {
  const withdrawal = { requestId, personId }
  return within((tx) =>
    withdrawExemptionRequest(tx, withdrawal, newChange(adasActor, app.tenant.organizationId, hour(2))),
  )
}

const decide = (id: string, body: object, method = 'PATCH') => app.ask(method, `/exemption_requests/${id}`, { body })
const approval = { status: 'approved', internal_message: 'Until it is replaced.' }
const denial = { status: 'denied', internal_message: 'No exceptions.', denial_explanation: 'Please encrypt the disk.' }

const refusal = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code
const stateOf = async (id = device.id) => (await app.ask('GET', `/devices/${id}`)).body.auth_state
const issueOf = async ({ id }: Issue) => {
  const { body } = await app.ask('GET', `/issues/${id}`)
  const { exempted, resolved_at, blocks_device_at } = body
  return { exempted, resolved_at, blocks_device_at }
}
const sentences = async () =>
  (await app.db.selectFrom('audit_logs').select(['description', 'actor_type']).orderBy('id').execute())
    .filter((row) => row.description.includes('exempt'))
    .map((row) => `${row.actor_type}: ${row.description}`)
const newsOf = async (type: string) =>
  (
    await app.db.selectFrom('events').select(['device_id', 'data']).where('type', '=', type).orderBy('id').execute()
  ).map((row) => ({ device_id: row.device_id, ...row.data }))

const open = (id: string, issues: readonly Issue[]) => ({
  id,
  status: 'open',
  internal_explanation: null,
  denial_explanation: null,
  requested_at: hour(1),
  requester_message: 'It is a build server.',
  requester_information: link('people', ada.id),
  device_information: link('devices', device.id),
  issues: ids(issues).map((issue) => link('issues', issue)),
})

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listExemptionRequests and getExemptionRequest answer whole records in version ${version}`, async () => {
    const issues = [await make.issue({ device, check: disk }), await make.issue({ device, check: lock })]
    const id = await raise(ids(issues))
    const options = { headers, key: app.tenant.readOnlyKey }
    const one = await app.ask('GET', `/exemption_requests/${id}`, options)
    assert.deepEqual([one.status, one.body], [200, open(id, issues)])
    const list = await app.ask('GET', '/exemption_requests', options)
    assert.deepEqual(list.body, {
      data: [open(id, issues)],
      pagination: { next: '', current_cursor: '', next_cursor: '', count: 1 },
    })
  })
}

test('exemption requests are searched by status, moment and message', async () => {
  const issue = await make.issue({ device, check: disk })
  const about = { device, person: ada, issues: [issue] }
  const first = await make.exemptionRequest(about, { requester_message: '100% sure', requested_at: hour(1) })
  const second = await make.exemptionRequest(about, { status: 'withdrawn', requested_at: hour(2) })
  const cases: [string, string[]][] = [
    ['status:open', [first.id]],
    ['status:Withdrawn', [second.id]],
    ['status:approved', []],
    ['status~PEN', [first.id]],
    [`requested_at>${hour(1)}`, [second.id]],
    [`requested_at:${hour(1)}`, [first.id]],
    ['requester_message~"100% S"', [first.id]],
    ['requester_message:"Please."', [second.id]],
  ]
  for (const [query, expected] of cases) {
    const { body } = await app.ask('GET', `/exemption_requests?query=${encodeURIComponent(query)}`)
    assert.deepEqual(
      body.data?.map((row: { id: string }) => row.id),
      expected,
      query,
    )
  }
  for (const query of ['status:pending', 'id:1']) {
    const { status } = await app.ask('GET', `/exemption_requests?query=${encodeURIComponent(query)}`)
    assert.equal(status, 422, query)
  }
})

test('raising a request is announced with what a receiver needs, and audited', async () => {
  const issue = await make.issue({ device, check: disk })
  const id = await raise([issue.id, issue.id])
  assert.deepEqual(await newsOf('requests.issue_exemption'), [
    {
      device_id: device.id,
      deviceName: 'Mac',
      requestId: id,
      personId: ada.id,
      personEmail: 'ada@acme.example',
      message: 'It is a build server.',
      issueIds: [issue.id],
    },
  ])
  assert.deepEqual(await sentences(), [
    'Person: Asked for "Ada" (ada@acme.example) that 1 issue of the device "Mac" be exempted: "It is a build server.".',
  ])
})

for (const method of ['PATCH', 'PUT']) {
  test(`decideExemptionRequest by ${method} approves: the issues stay open and block no more`, async () => {
    const issues = [await make.issue({ device, check: disk }), await make.issue({ device, check: lock })]
    const id = await raise(ids(issues))
    assert.equal(await stateOf(), 'Blocked')
    app.setNow(hour(2))
    const { status, body } = await decide(id, approval, method)
    assert.deepEqual(
      [status, body],
      [200, { ...open(id, issues), status: 'approved', internal_explanation: 'Until it is replaced.' }],
    )
    for (const issue of issues) {
      assert.deepEqual(await issueOf(issue), { exempted: true, resolved_at: null, blocks_device_at: null })
    }
    assert.equal(await stateOf(), 'Good')
    assert.deepEqual((await newsOf('device_trust.status_changed')).at(-1), {
      device_id: device.id,
      from: 'blocked',
      to: 'good',
      initiator: 'admin',
      compliance: { previous: 'not-compliant', current: 'compliant' },
    })
    assert.equal(
      (await sentences()).at(-1),
      'ApiKey: Approved the request of "Ada" (ada@acme.example) to exempt 2 issues of the device "Mac": "Until it is replaced.".',
    )
  })
}

test('approving leaves resolved issues alone, and says nothing where nothing changes', async () => {
  const mended = await make.issue({ device, check: disk })
  const id = await raise([mended.id])
  await make.result({ device, check: disk, rows: 'PASS', at: hour(2) })
  const news = (await newsOf('device_trust.status_changed')).length
  assert.equal((await decide(id, approval)).status, 200)
  assert.deepEqual(await issueOf(mended), {
    exempted: false,
    resolved_at: hour(2),
    blocks_device_at: start,
  })
  assert.equal((await newsOf('device_trust.status_changed')).length, news)
  const again = await make.issue({ device, check: disk, at: hour(3) })
  assert.deepEqual((await issueOf(again)).exempted, false, 'a recurrence is a new issue')
})

test('an issue that is not asked about continues blocking', async () => {
  const [asked] = [await make.issue({ device, check: disk }), await make.issue({ device, check: lock })]
  await decide(await raise([asked.id]), approval)
  assert.equal(await stateOf(), 'Blocked')
})

test('denying tells the requester why and changes no issue', async () => {
  const issue = await make.issue({ device, check: disk })
  const id = await raise([issue.id])
  const { status, body } = await decide(id, denial)
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        ...open(id, [issue]),
        status: 'denied',
        internal_explanation: 'No exceptions.',
        denial_explanation: 'Please encrypt the disk.',
      },
    ],
  )
  assert.equal((await issueOf(issue)).exempted, false)
  assert.equal(
    (await sentences()).at(-1),
    'ApiKey: Denied the request of "Ada" (ada@acme.example) to exempt 1 issue of the device "Mac": "No exceptions.".',
  )
})

test('a decided request is decided no more, and a withdrawn one neither, whatever is sent', async () => {
  const issue = await make.issue({ device, check: disk })
  const decided = await raise([issue.id])
  await decide(decided, denial)
  const withdrawn = await raise([issue.id])
  await withdraw(withdrawn)
  const before = await rowVersions(app.db)
  const answers: [string, object, string][] = [
    [decided, approval, 'request_decided'],
    [decided, denial, 'request_decided'],
    [withdrawn, approval, 'request_withdrawn'],
  ]
  for (const [id, body, code] of answers) {
    const answer = await decide(id, body)
    assert.deepEqual([answer.status, answer.body.error], [422, code])
  }
  assert.deepEqual(await rowVersions(app.db), before)
})

const unfit: [string, object, string[]][] = [
  ['without a status', { internal_message: 'No.' }, ['status']],
  ['with a status of its own', { status: 'open', internal_message: 'No.' }, ['status']],
  ['without a message', { status: 'approved' }, ['internal_message']],
  ['with a blank message', { status: 'approved', internal_message: ' ' }, ['internal_message']],
  ['with a message of another type', { status: 'approved', internal_message: 5 }, ['internal_message']],
  ['with too long a message', { status: 'approved', internal_message: 'x'.repeat(5_001) }, ['internal_message']],
  ['that denies without a reason', { status: 'denied', internal_message: 'No.' }, ['denial_explanation']],
  ['that is a list', [], ['']],
]

for (const [what, body, fields] of unfit) {
  test(`a decision ${what} is refused and changes nothing`, async () => {
    const id = await raise([(await make.issue({ device, check: disk })).id])
    const before = await rowVersions(app.db)
    const answer = await decide(id, body)
    assert.deepEqual([answer.status, answer.body.error], [422, 'invalid'])
    assert.deepEqual(
      answer.body.errors.map((error: { field: string }) => error.field),
      fields,
    )
    assert.deepEqual(await rowVersions(app.db), before)
  })
}

test('what PostgreSQL cannot hold is replaced in a message, and refused in a body', async () => {
  const id = await raise([(await make.issue({ device, check: disk })).id], { message: 'a\0b\ud800' })
  const refused = await decide(id, { status: 'approved', internal_message: 'c\0d' })
  assert.deepEqual([refused.status, refused.body.error], [422, 'invalid'])
  const { status, body } = await decide(id, approval)
  assert.deepEqual([status, body.requester_message], [200, 'a\ufffdb\ufffd'])
})

test('deciding needs the permission Manage User Requests', async () => {
  const id = await raise([(await make.issue({ device, check: disk })).id])
  for (const key of [app.tenant.readOnlyKey, await app.addKey(['remove_devices'])]) {
    const answer = await app.ask('PATCH', `/exemption_requests/${id}`, { key, body: approval })
    assert.deepEqual([answer.status, answer.body.error], [403, 'permission_missing'])
  }
  const key = await app.addKey(['manage_user_requests'])
  assert.equal((await app.ask('PATCH', `/exemption_requests/${id}`, { key, body: approval })).status, 200)
})

test('a request of a foreign organization cannot be decided', async () => {
  const id = await raise([(await make.issue({ device, check: disk })).id])
  const { key } = await app.addTenant()
  const answer = await app.ask('PATCH', `/exemption_requests/${id}`, { key, body: approval })
  assert.equal(answer.status, 404)
  assert.equal((await app.ask('GET', `/exemption_requests/${id}`)).body.status, 'open')
})

test('raising is refused for what is not the person’s, not open, disallowed, or asked for already', async () => {
  const { organizationId } = app.tenant
  const bob = await make.person(organizationId)
  const other = await make.device(organizationId, { registered_owner_id: bob.id })
  const strict = await make.check(organizationId, { configuration: { exemptions_disallowed: true } })
  const [issue, foreign] = [await make.issue({ device, check: disk }), await make.issue({ device: other, check: disk })]
  const forbidden = await make.issue({ device, check: strict })
  const mended = await make.issue({ device, check: lock })
  await make.result({ device, check: lock, rows: 'PASS', at: hour(1) })
  await raise([issue.id])
  const before = await rowVersions(app.db)
  const refused: [string, Parameters<typeof raise>][] = [
    ['not_device_owner', [[issue.id], { personId: bob.id }]],
    ['not_found', [[issue.id], { personId: '900000000000000001' }]],
    ['not_found', [[issue.id], { deviceId: '900000000000000001' }]],
    ['not_found', [[issue.id], {}, (await app.addTenant()).organizationId]],
    ['already_requested', [[issue.id]]],
    ['exemptions_disallowed', [[forbidden.id]]],
    ['invalid', [[forbidden.id, foreign.id]]],
    ['invalid', [[mended.id]]],
    ['invalid', [[]]],
    ['invalid', [[forbidden.id], { message: ' ' }]],
  ]
  const versions = Object.keys(before).filter((table) => table !== 'audit_logs')
  for (const [code, args] of refused) await assert.rejects(raise(...args), refusal(code), code)
  const after = await rowVersions(app.db)
  for (const table of versions) assert.deepEqual(after[table], before[table])
})

test('an exempted issue needs no request', async () => {
  const issue = await make.issue({ device, check: disk })
  await decide(await raise([issue.id]), approval)
  await assert.rejects(raise([issue.id]), (error: unknown) => {
    assert.ok(error instanceof ServiceError)
    assert.deepEqual(error.errors, [
      { field: 'issue_ids/0', message: 'there is no such issue to exempt on the device' },
    ])
    return true
  })
})

test('only its requester withdraws a request, once', async () => {
  const id = await raise([(await make.issue({ device, check: disk })).id])
  const bob = await make.person(app.tenant.organizationId)
  await assert.rejects(withdraw(id, bob.id), refusal('not_found'))
  await withdraw(id)
  assert.equal((await app.ask('GET', `/exemption_requests/${id}`)).body.status, 'withdrawn')
  assert.equal(
    (await sentences()).at(-1),
    'Person: Withdrew the request of "Ada" (ada@acme.example) to exempt 1 issue of the device "Mac".',
  )
  await assert.rejects(withdraw(id), refusal('request_withdrawn'))
  await assert.rejects(reopen(id), refusal('request_withdrawn'))
})

test('reopening an approved request takes the exemption back, and a repeat writes nothing', async () => {
  const issue = await make.issue({ device, check: disk })
  const id = await raise([issue.id])
  await decide(id, approval)
  assert.equal(await stateOf(), 'Good')
  await reopen(id)
  assert.deepEqual((await app.ask('GET', `/exemption_requests/${id}`)).body, open(id, [issue]))
  assert.deepEqual(await issueOf(issue), { exempted: false, resolved_at: null, blocks_device_at: start })
  assert.equal(await stateOf(), 'Blocked')
  assert.equal(
    (await sentences()).at(-1),
    'System: Reopened the request of "Ada" (ada@acme.example) to exempt 1 issue of the device "Mac", which was approved.',
  )
  const before = await rowVersions(app.db)
  await reopen(id)
  assert.deepEqual(await rowVersions(app.db), before)
})

test('an issue that two approved requests cover stays exempted until both are reopened', async () => {
  const issue = await make.issue({ device, check: disk })
  const first = await raise([issue.id])
  await decide(first, denial)
  const second = await raise([issue.id])
  await assert.rejects(reopen(first), refusal('already_requested'))
  await decide(second, approval)
  await reopen(first)
  await decide(first, approval)
  await reopen(second)
  assert.equal((await issueOf(issue)).exempted, true)
  await reopen(first).catch(() => {})
  assert.equal((await issueOf(issue)).exempted, true, 'the open second request covers the issue')
  await decide(second, denial)
  await reopen(first)
  assert.equal((await issueOf(issue)).exempted, false)
})

test('a deleted device takes its requests out of sight, and purging it removes them', async () => {
  const id = await raise([(await make.issue({ device, check: disk })).id])
  const { organizationId } = app.tenant
  await within((tx) => deleteDevice(tx, { deviceId: device.id }, systemChange(organizationId, hour(2))))
  assert.equal((await app.ask('GET', `/exemption_requests/${id}`)).status, 404)
  assert.deepEqual((await app.ask('GET', '/exemption_requests')).body.data, [])
  assert.equal((await decide(id, approval)).status, 404)
  await app.db.deleteFrom('devices').where('id', '=', device.id).execute()
  assert.deepEqual(await app.db.selectFrom('exemption_requests').select('id').execute(), [])
})
