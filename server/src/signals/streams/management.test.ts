import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { complianceChangeType, verificationType } from './event-types.ts'
import { queueComplianceChanges } from './queue-signals.ts'
import { setStreamStatus } from './set-stream-status.ts'

const app = testApp()
const make = makeIn(app.database)
const start = '2026-11-20T10:00:00.000Z'
const events = [complianceChangeType, verificationType]
const healthy = { state: 'ok', failing_since: null, last_error: null, last_delivered_at: null }
const missing = { error: 'not_found', message: 'There is no such record.' }
const push = 'urn:ietf:rfc:8935'
const poll = 'urn:ietf:rfc:8936'

beforeEach(async () => {
  app.setNow(start)
  await app.reset()
})

const create = (body: unknown) => app.ask('POST', '/ssf_streams', { body })
const patch = (id: string, body: unknown) => app.ask('PATCH', `/ssf_streams/${id}`, { body })
const rotate = (id: string, body: unknown) => app.ask('POST', `/ssf_streams/${id}/rotate_poll_token`, { body })

const fieldsOf = ({ status, body }: { status: number; body: { errors?: { field: string; message: string }[] } }) => [
  status,
  ...(body.errors ?? []).map(({ field, message }) => `${field} ${message}`),
]

const audits = async (): Promise<string[]> => {
  const { body } = await app.ask('GET', '/audit_logs?query=description~"the stream "&per_page=100')
  return body.data.map(({ description }: { description: string }) => description)
}

const pollTokens = () =>
  app.db.selectFrom('ssf_poll_tokens').select(['lookup_hash', 'valid_until']).orderBy('created_at').execute()

test('createSsfStream, getSsfStream and listSsfStreams: a push stream of the standard body', async () => {
  const { status, body } = await create({
    description: 'For sign-in',
    aud: 'https://acme.okta.example',
    delivery: {
      method: push,
      endpoint_url: 'https://receiver.example.com/events?a=b',
      authorization_header: 'Bearer s3cret',
    },
    events_requested: ['https://example.com/unknown', complianceChangeType],
    format: 'iss_sub',
    unknown: true,
  })
  const record = {
    id: body.id,
    iss: baseUrl,
    stream_id: body.stream_id,
    name: 'For sign-in',
    description: 'For sign-in',
    aud: 'https://acme.okta.example',
    delivery_type: 'push',
    spec_version: 'v1_0',
    enabled: true,
    events_supported: events,
    events_requested: ['https://example.com/unknown', ...events],
    events_delivered: events,
    created_at: start,
    updated_at: start,
    delivery: {
      method: push,
      endpoint_url: 'https://receiver.example.com/events?a=b',
      authorization_header: 'Bearer s3cret',
    },
    authorization_header: 'Bearer s3cret',
    min_verification_interval: 1,
    device_subject_format: 'iss_sub',
    health: healthy,
  }
  assert.deepEqual([status, body], [201, record])
  const list = await app.ask('GET', '/ssf_streams')
  const pagination = { next: '', current_cursor: '', next_cursor: '', count: 1 }
  assert.deepEqual([list.status, list.body], [200, { data: [record], pagination }])
  for (const path of [
    `/ssf_streams/${body.id}`,
    `/ssf_streams/${body.stream_id}`,
    `/ssf_streams?stream_id=${body.id}`,
    `/ssf_streams?stream_id=${body.stream_id}`,
  ]) {
    const answer = await app.ask('GET', path)
    assert.deepEqual([answer.status, answer.body, answer.headers['cache-control']], [200, record, 'no-store'], path)
  }
  const unknown = await app.ask('GET', '/ssf_streams?stream_id=900000000000000001')
  assert.deepEqual([unknown.status, unknown.body], [404, missing])
  const [stored] = await app.db.selectFrom('ssf_streams').selectAll().execute()
  assert.ok(!stored?.sealed_authorization_header?.toString('latin1').includes('s3cret'))
  assert.deepEqual(await audits(), ['Created the stream "For sign-in", which is pushed to "receiver.example.com".'])
})

test('createSsfStream: streams to be polled, each with a token that is shown once and kept as its keyed hash', async () => {
  const standard = await create({})
  const legacy = await create({
    ssf_stream: { name: 'Old', delivery_type: 'poll', event_subscriptions: [complianceChangeType] },
  })
  assert.deepEqual([standard.status, legacy.status], [201, 201])
  for (const { body } of [standard, legacy]) {
    assert.match(body.poll_bearer_token, /^muspt_[0-9A-Za-z]{36}$/)
    assert.deepEqual(body.delivery, { method: poll, endpoint_url: `${baseUrl}/ssf_streams/${body.stream_id}/events` })
    const { poll_bearer_token: _, ...rest } = body
    assert.deepEqual((await app.ask('GET', `/ssf_streams/${body.id}`)).body, rest)
  }
  assert.deepEqual(
    [standard, legacy].map(({ body }) => [body.name, body.aud, body.spec_version, body.health.state]),
    [
      [standard.body.stream_id, `${baseUrl}/ssf_streams/${standard.body.stream_id}`, 'v1_0', 'ok'],
      ['Old', null, 'draft', 'ok'],
    ],
  )
  const hashes = (await pollTokens()).map(({ lookup_hash }) => lookup_hash.toString('hex')).sort()
  const expected = [standard, legacy].map(({ body }) =>
    app.secrets.lookupHash('poll_token', body.poll_bearer_token).toString('hex'),
  )
  assert.deepEqual(hashes, expected.sort())
})

test('createSsfStream: the legacy body of a push stream, and the draft layout of the standard one', async () => {
  const legacy = await create({
    ssf_stream: { name: 'Old', delivery_type: 'push', aud: 'https://r.example.com/a', authorization_header: 'x y' },
  })
  const { aud, spec_version, delivery, authorization_header, poll_bearer_token } = legacy.body
  assert.deepEqual(
    [legacy.status, aud, spec_version, delivery.endpoint_url, authorization_header, poll_bearer_token],
    [201, 'https://r.example.com/a', 'draft', 'https://r.example.com/a', 'x y', undefined],
  )
  const draft = (await create({ spec_version: 'draft' })).body
  assert.deepEqual([draft.spec_version, draft.aud], ['draft', `${baseUrl}/ssf_streams/${draft.stream_id}`])
})

test('a stream without a known type of event delivers verification events only, until one is requested', async () => {
  const { organizationId } = app.tenant
  const unknown = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'
  const shown = ({ body }: { body: Record<string, unknown> }) => [body['events_requested'], body['events_delivered']]
  const none = await create({ events_requested: [] })
  assert.deepEqual([none.status, ...shown(none)], [201, [verificationType], [verificationType]])
  const legacy = await create({ ssf_stream: { name: 'Old', event_subscriptions: ['x'] } })
  assert.deepEqual(shown(legacy), [['x', verificationType], [verificationType]])
  const other = await create({ events_requested: [verificationType, unknown, unknown] })
  assert.deepEqual(shown(other), [[unknown, verificationType], [verificationType]])
  const device = await make.device(organizationId)
  const change = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
  const queue = () =>
    transact(app.db, (tx) =>
      queueComplianceChanges(tx, organizationId, [{ deviceId: device.id, occurredAt: start, ...change }]),
    )
  await queue()
  assert.deepEqual(await app.db.selectFrom('ssf_signals').select('id').execute(), [])
  const tested = await app.ask('POST', `/ssf_streams/${other.body.id}/test`, { body: { email: 'ana@acme.example' } })
  assert.deepEqual([tested.status, tested.body.error], [400, 'malformed_request'])
  assert.equal((await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: none.body.id } })).status, 204)
  const requested = await patch(other.body.id, { events_requested: [unknown, complianceChangeType] })
  assert.deepEqual(shown(requested), [[unknown, ...events], events])
  await queue()
  const queued = await app.db.selectFrom('ssf_stream_events').select(['stream_id', 'kind']).orderBy('id').execute()
  assert.deepEqual(queued, [
    { stream_id: none.body.id, kind: 'verification' },
    { stream_id: other.body.id, kind: 'compliance_change' },
  ])
  const ended = await patch(other.body.id, { ssf_stream: { event_subscriptions: [] } })
  assert.deepEqual(shown(ended), [[verificationType], [verificationType]])
  assert.deepEqual((await audits()).slice(0, 2), [
    `Changed the stream "${other.body.name}": verification events only.`,
    `Changed the stream "${other.body.name}": other requested events.`,
  ])
})

test('what makes no stream is refused, with where it is wrong', async () => {
  const url = 'https://r.example.com/'
  const refused: [body: unknown, ...faults: unknown[]][] = [
    [
      { spec_version: 'draft', device_subject_format: 'iss_sub' },
      422,
      'device_subject_format must be opaque for a draft stream',
    ],
    [
      { authorization_header: 'a', delivery: { method: push, endpoint_url: url, authorization_header: 'b' } },
      422,
      'delivery/authorization_header must not differ from authorization_header',
    ],
    [{ delivery: { method: push } }, 422, 'delivery/endpoint_url is required'],
    [{ ssf_stream: { delivery_type: 'push' } }, 422, 'ssf_stream/aud is required'],
    [{ name: '  ' }, 422, 'name must not be blank'],
    [{ aud: 'a b' }, 422, 'aud must be ASCII without spaces'],
    [
      { delivery: { method: poll, authorization_header: 'x' } },
      422,
      'delivery/authorization_header is for push streams',
    ],
    [
      { delivery: { method: push, endpoint_url: url, authorization_header: 'x\r\nHost: y' } },
      422,
      'delivery/authorization_header must be a value of a header',
    ],
    [{ name: 7 }, 422, 'name must be a string'],
    [{ delivery: 'poll' }, 422, 'delivery must be an object'],
    [{ delivery: { method: 'mail' } }, 422, `delivery/method must be one of ${push}, ${poll}`],
    [{ spec_version: 'v2' }, 422, 'spec_version must be one of v1_0, draft'],
  ]
  for (const [body, ...faults] of refused) assert.deepEqual(fieldsOf(await create(body)), faults, JSON.stringify(body))
  assert.deepEqual(await app.db.selectFrom('ssf_streams').select('id').execute(), [])
})

test('a chat service is refused as a new address; a stream that is there already can still be changed', async () => {
  const slack = { method: push, endpoint_url: 'https://hooks.slack.com/services/T0/B0/xyz' }
  const { id, stream_id } = (
    await create({ name: 'Alerts', delivery: { ...slack, endpoint_url: 'https://a.example/' } })
  ).body
  const polled = (await create({ name: 'Polled' })).body
  const legacy = {
    ssf_stream: { name: 'A', aud: slack.endpoint_url, delivery_type: 'push' },
  }
  const answers = [
    await create({ delivery: slack }),
    await create(legacy),
    await patch(id, { delivery: slack }),
    await patch(polled.id, { delivery: slack }),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 422)
    const [, ...faults] = fieldsOf(answer)
    assert.match(faults.join(), /(?:endpoint_url|aud) Slack cannot read these requests: .* posts to Slack\.$/)
  }
  await app.db.updateTable('ssf_streams').set({ endpoint_url: slack.endpoint_url }).where('id', '=', id).execute()
  const changed = await patch(id, { name: 'Chat', delivery: slack })
  assert.deepEqual([changed.status, changed.body.name], [200, 'Chat'])
  const reset = await app.ask('PUT', '/ssf_streams', { body: { stream_id, delivery: slack } })
  assert.deepEqual(
    [reset.status, reset.body.delivery?.endpoint_url],
    [200, slack.endpoint_url],
    JSON.stringify(reset.body),
  )
  assert.equal((await patch(id, { delivery: { ...slack, endpoint_url: `${slack.endpoint_url}2` } })).status, 422)
})

test('addresses of receivers that are not public are refused when a stream is made and when it is changed', async () => {
  const vectors = JSON.parse(
    readFileSync(new URL('../../base/outbound/test-vectors/urls.json', import.meta.url), 'utf8'),
  ) as [string, string][]
  const refused = vectors.filter(([, verdict]) => verdict === 'refused').map(([url]) => url)
  assert.ok(refused.length >= 140)
  const { body: stream } = await create({ delivery: { method: push, endpoint_url: 'https://r.example.com/' } })
  const before = await rowVersions(app.db)
  for (const url of refused) {
    const standard = { delivery: { method: push, endpoint_url: url } }
    const legacy = { ssf_stream: { delivery_type: 'push', aud: url } }
    for (const body of [standard, legacy]) {
      const answers = [await create(body), await patch(stream.id, body)]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [422, 422],
        JSON.stringify(body),
      )
    }
    const put = await app.ask('PUT', '/ssf_streams', { body: { stream_id: stream.id, ...standard } })
    assert.equal(put.status, 422)
  }
  assert.deepEqual(await rowVersions(app.db), before)
})

test('updateSsfStream keeps what is left out, writes nothing when nothing changes, and tells who made it', async () => {
  const { body: made } = await create({
    name: 'One',
    delivery: { method: push, endpoint_url: 'https://r.example.com/a', authorization_header: 'x' },
  })
  app.setNow('2026-11-20T10:05:00.000Z')
  const before = await rowVersions(app.db)
  for (const body of [{}, { name: 'One' }, made]) {
    const same = await patch(made.id, body)
    assert.deepEqual([same.status, same.body], [200, made])
  }
  assert.deepEqual(await rowVersions(app.db), before)
  const renamed = await patch(made.stream_id, { name: 'Two', description: 'Second' })
  const expected = { ...made, name: 'Two', description: 'Second', updated_at: app.now() }
  assert.deepEqual([renamed.status, renamed.body], [200, expected])
  const moved = await patch(made.id, { ssf_stream: { aud: 'https://s.example.com/b', authorization_header: null } })
  const { authorization_header: _, ...open } = expected
  const delivery = { method: push, endpoint_url: 'https://s.example.com/b' }
  assert.deepEqual(moved.body, { ...open, aud: 'https://s.example.com/b', delivery })
  assert.deepEqual((await audits()).slice(0, 2), [
    'Changed the stream "Two": pushed to "s.example.com", before pushed to "r.example.com"; dropped the authorization header, as it is not sent to another origin.',
    'Changed the stream "One": its name is "Two"; another description.',
  ])
})

test('configureSsfStream: PATCH keeps what is missing, PUT resets it, and what the service decides cannot differ', async () => {
  const { body: made } = await create({
    name: 'One',
    description: 'First',
    aud: 'urn:one',
    delivery: { method: push, endpoint_url: 'https://r.example.com/a', authorization_header: 'x' },
  })
  const { stream_id } = made
  const ask = (method: string, body: object) => app.ask(method, '/ssf_streams', { body: { stream_id, ...body } })
  assert.deepEqual((await ask('PATCH', made)).body, made)
  assert.deepEqual((await ask('PATCH', { aud: 'urn:two' })).body, { ...made, aud: 'urn:two' })
  const { description: _, authorization_header: __, ...rest } = made
  const put = await ask('PUT', { delivery: { method: push, endpoint_url: 'https://r.example.com/b' } })
  const delivery = { method: push, endpoint_url: 'https://r.example.com/b' }
  assert.deepEqual(
    [put.status, put.body],
    [200, { ...rest, name: stream_id, aud: 'https://r.example.com/b', delivery }],
  )
  const others = [
    { iss: 'https://other.example' },
    { aud: 'urn:three' },
    { events_supported: [] },
    { events_delivered: [complianceChangeType] },
    { spec_version: 'draft' },
    { enabled: false },
    { delivery_type: 'poll' },
  ]
  for (const body of others) {
    for (const method of ['PATCH', 'PUT']) {
      const { status, body: refusal } = await ask(method, { delivery, ...body })
      assert.deepEqual([status, refusal.error], [400, 'malformed_request'], JSON.stringify(body))
    }
  }
  const stray = await patch(made.id, { stream_id: '900000000000000001' })
  assert.equal(stray.status, 400)
  assert.equal((await app.ask('PATCH', '/ssf_streams', { body: { name: 'x' } })).status, 422)
  assert.deepEqual((await app.ask('GET', `/ssf_streams/${made.id}`)).body, put.body)
})

test('configureSsfStream: a record that was read and sent back loses nothing, whichever members a client knows', async () => {
  const { body: made } = await create({
    name: 'One',
    description: 'First',
    aud: 'urn:one',
    delivery: { method: push, endpoint_url: 'https://r.example.com/a', authorization_header: 'Bearer A' },
    events_requested: ['https://example.com/unknown', complianceChangeType],
    device_subject_format: 'opaque',
  })
  const put = (body: object) => app.ask('PUT', '/ssf_streams', { body })
  const before = await rowVersions(app.db)
  const { authorization_header: _top, ...ofTheFramework } = made
  const ofTheApi = { ...made, delivery: { method: push, endpoint_url: made.delivery.endpoint_url } }
  for (const body of [made, ofTheFramework, ofTheApi]) {
    const answer = await put(body)
    assert.deepEqual([answer.status, answer.body], [200, made])
  }
  assert.deepEqual(await rowVersions(app.db), before)
  const headers = ({ body }: { body: typeof made }) => [body.authorization_header, body.delivery.authorization_header]
  const withDelivery = { ...made, delivery: { ...made.delivery, authorization_header: 'Bearer B' } }
  assert.deepEqual(headers(await put(withDelivery)), ['Bearer B', 'Bearer B'])
  assert.deepEqual(headers(await patch(made.id, { authorization_header: 'Bearer C' })), ['Bearer C', 'Bearer C'])
  const read = (await app.ask('GET', `/ssf_streams/${made.id}`)).body
  assert.deepEqual(headers(await patch(made.id, { ...read, authorization_header: 'Bearer D' })), [
    'Bearer D',
    'Bearer D',
  ])
  assert.deepEqual(headers(await patch(made.id, { authorization_header: null })), [undefined, undefined])
  const polled = await patch(made.id, { ...read, delivery: { ...read.delivery, method: poll } })
  assert.equal(polled.status, 422, 'a header that is not stored is not dropped silently')
  await patch(made.id, { authorization_header: 'Bearer C' })
  const { delivery_type: _type, ...whole } = (await app.ask('GET', `/ssf_streams/${made.id}`)).body
  const converted = await patch(made.id, { ...whole, delivery: { ...whole.delivery, method: poll } })
  assert.deepEqual([converted.status, ...headers(converted)], [200, undefined, undefined])
  const foreign = await put({ ...converted.body, min_verification_interval: 0 })
  assert.deepEqual([foreign.status, foreign.body.error], [400, 'malformed_request'])
})

test('configureSsfStream: a record that another program kept in its own types is still the same record', async () => {
  app.setNow('2026-11-20T10:00:00.150Z')
  const { body: made } = await create({
    aud: ['urn:one'],
    delivery: { method: push, endpoint_url: 'https://r.example.com/a' },
    events_requested: [complianceChangeType],
  })
  assert.equal(made.aud, 'urn:one')
  const before = await rowVersions(app.db)
  const [first] = made.events_supported
  const forms = [
    { aud: ['urn:one'] },
    { events_supported: made.events_supported.toReversed(), events_delivered: made.events_delivered.toReversed() },
    { events_supported: [...made.events_supported, first] },
    { created_at: made.created_at.replace(/\.\d+Z/, 'Z') },
    { created_at: '2026-11-20T10:00:00.15Z' },
    { created_at: '2026-11-20T12:00:00+02:00' },
    { created_at: made.created_at.replace(/Z$/, '000+00:00') },
    { created_at: made.created_at.replace(/Z$/, '+0000') },
  ]
  for (const form of forms) {
    for (const method of ['PATCH', 'PUT']) {
      const { status, body } = await app.ask(method, '/ssf_streams', { body: { ...made, ...form } })
      assert.deepEqual([status, body], [200, made], JSON.stringify(form))
    }
    assert.deepEqual((await patch(made.id, form)).body, made)
  }
  assert.deepEqual(await rowVersions(app.db), before)
  const others = [
    { events_supported: made.events_supported.slice(1) },
    { events_supported: [...made.events_supported, 'urn:x'] },
    { events_delivered: first },
    { created_at: '2026-11-20T10:00:01Z' },
    { created_at: '2026-11-20T10:00:00.149Z' },
    { created_at: 'then' },
    { created_at: null },
  ]
  for (const other of others) assert.equal((await patch(made.id, other)).status, 400, JSON.stringify(other))
  assert.equal((await patch(made.id, { aud: ['urn:two'] })).body.aud, 'urn:two')
})

test('a stream has one audience, as text or as a list of one', async () => {
  const message = 'aud must be a string or must have at most 1 item.'
  for (const [aud, told] of [
    [['urn:one', 'urn:two'], message],
    [[], undefined],
    [[7], undefined],
    [[''], undefined],
  ]) {
    const { status, body } = await create({ aud })
    assert.equal(status, 422, JSON.stringify(aud))
    if (told !== undefined) assert.equal(body.message, told)
  }
  assert.equal((await create({ aud: ['https://a.example/ b'] })).status, 422)
  const { body: polled } = await create({ aud: null })
  const own = await patch(polled.id, { ...polled, aud: [polled.aud] })
  assert.deepEqual([own.status, own.body.aud], [200, polled.aud])
  assert.equal((await patch(polled.id, { aud: ['urn:one'] })).status, 400)
})

test('a stream that becomes a poll stream is closed until a token is rotated in, and its events stay', async () => {
  const { body: made } = await create({
    delivery: { method: push, endpoint_url: 'https://r.example.com/a', authorization_header: 'x' },
  })
  await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: made.id } })
  const polled = await patch(made.id, { delivery: { method: poll } })
  assert.deepEqual(
    [
      polled.status,
      polled.body.aud,
      polled.body.authorization_header,
      polled.body.poll_bearer_token,
      polled.body.health.state,
    ],
    [200, `${baseUrl}/ssf_streams/${made.stream_id}`, undefined, undefined, 'no_poll_token'],
  )
  assert.deepEqual(await pollTokens(), [])
  const opened = await rotate(made.id, { mode: 'immediate' })
  assert.equal(opened.body.health.state, 'ok')
  assert.equal((await patch(made.id, { delivery: { method: push } })).status, 422)
  const pushed = await patch(made.id, { ssf_stream: { delivery_type: 'push', aud: 'https://s.example.com/' } })
  assert.deepEqual([pushed.body.aud, pushed.body.delivery_type], ['https://s.example.com/', 'push'])
  assert.deepEqual(await pollTokens(), [])
  const waiting = await app.db.selectFrom('ssf_stream_events').select(['kind', 'state']).execute()
  assert.deepEqual(waiting, [{ kind: 'verification', state: 'pending' }])
})

test('rotateSsfPollToken: previous tokens end when told, never later than they would', async () => {
  const { body: made } = await create({})
  const untils = async () => (await pollTokens()).map(({ valid_until }) => valid_until)
  app.setNow('2026-11-20T10:00:01.000Z')
  const first = await rotate(made.id, { mode: 'overlap', overlap_seconds: 60 })
  const { poll_bearer_token: token, ...record } = first.body
  const { poll_bearer_token: former, ...before } = made
  assert.deepEqual([first.status, record], [200, before])
  assert.notEqual(token, former)
  assert.deepEqual(await untils(), ['2026-11-20T10:01:01.000Z', null])
  app.setNow('2026-11-20T10:00:02.000Z')
  await rotate(made.stream_id, { mode: 'overlap', overlap_seconds: 86_400 })
  assert.deepEqual(await untils(), ['2026-11-20T10:01:01.000Z', '2026-11-21T10:00:02.000Z', null])
  app.setNow('2026-11-20T10:02:00.000Z')
  await rotate(made.id, { mode: 'overlap', overlap_seconds: 1 })
  assert.deepEqual(await untils(), ['2026-11-20T10:02:01.000Z', '2026-11-20T10:02:01.000Z', null])
  await rotate(made.id, { mode: 'immediate' })
  assert.deepEqual(await untils(), [null])
  const disabled = await rotate(made.id, { mode: 'disable' })
  assert.deepEqual(disabled.body, { ...before, health: { ...healthy, state: 'no_poll_token' } })
  const versions = await rowVersions(app.db)
  assert.deepEqual((await rotate(made.id, { mode: 'disable' })).body, disabled.body)
  assert.deepEqual(await rowVersions(app.db), versions)
  assert.deepEqual(await audits(), [
    `Disabled the poll tokens of the stream "${made.name}".`,
    `Rotated the poll token of the stream "${made.name}"; previous tokens ended at once.`,
    `Rotated the poll token of the stream "${made.name}"; previous tokens end within 1 second.`,
    `Rotated the poll token of the stream "${made.name}"; previous tokens end within 86400 seconds.`,
    `Rotated the poll token of the stream "${made.name}"; previous tokens end within 60 seconds.`,
    `Created the stream "${made.name}", which is polled.`,
  ])
})

test('a stream that needed no token needs one from its first rotation on, and a push stream has none', async () => {
  const { organizationId } = app.tenant
  const old = await make.stream(organizationId, { needs_no_poll_token: true })
  assert.equal((await app.ask('GET', `/ssf_streams/${old.id}`)).body.health.state, 'ok')
  const disabled = await rotate(old.id, { mode: 'disable' })
  assert.equal(disabled.body.health.state, 'no_poll_token')
  const pushed = await make.stream(organizationId, { endpoint_url: 'https://r.example.com/' })
  assert.deepEqual(fieldsOf(await rotate(pushed.id, { mode: 'immediate' })), [
    422,
    'mode is for poll streams; this one is pushed',
  ])
  assert.deepEqual(fieldsOf(await rotate(old.id, { mode: 'overlap' })), [422, 'overlap_seconds is required'])
})

test('deleteSsfStream and removeSsfStream: the stream is gone for everyone, and what it had stays for a while', async () => {
  const [one, other] = [(await create({ name: 'One' })).body, (await create({ name: 'Other' })).body]
  const first = await app.ask('DELETE', `/ssf_streams/${one.id}`)
  const second = await app.ask('DELETE', `/ssf_streams?stream_id=${other.stream_id}`)
  assert.deepEqual([first.status, first.body, second.status, second.body], [204, '', 204, ''])
  const body = { stream_id: one.id, status: 'enabled' }
  const gone = [
    await app.ask('GET', `/ssf_streams/${one.id}`),
    await app.ask('GET', `/ssf_streams?stream_id=${one.stream_id}`),
    await app.ask('DELETE', `/ssf_streams/${one.id}`),
    await app.ask('DELETE', `/ssf_streams?stream_id=${one.id}`),
    await patch(one.id, { name: 'x' }),
    await app.ask('PUT', '/ssf_streams', { body: { stream_id: one.id } }),
    await app.ask('GET', `/ssf_streams/status?stream_id=${one.id}`),
    await app.ask('POST', '/ssf_streams/status', { body }),
    await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: one.id } }),
    await rotate(one.id, { mode: 'immediate' }),
    await app.ask('POST', `/ssf_streams/${one.id}/test`, { body: { email: 'a@acme.example' } }),
  ]
  for (const { status, body: refusal } of gone) assert.deepEqual([status, refusal], [404, missing])
  assert.equal((await app.ask('GET', '/ssf_streams')).body.data.length, 0)
  assert.equal((await app.db.selectFrom('ssf_streams').select('id').execute()).length, 2)
  assert.deepEqual((await audits()).slice(0, 2), ['Deleted the stream "Other".', 'Deleted the stream "One".'])
})

test('getSsfStreamStatus and setSsfStreamStatus: a receiver pauses and disables its stream, and is told nothing of it', async () => {
  const { body: made } = await create({ name: 'One' })
  const ask = () => app.ask('GET', `/ssf_streams/status?stream_id=${made.id}`)
  const set = (body: object) => app.ask('POST', '/ssf_streams/status', { body: { stream_id: made.stream_id, ...body } })
  const { stream_id } = made
  assert.deepEqual((await ask()).body, { stream_id, status: 'enabled' })
  const paused = await set({ status: 'paused', reason: 'Until noon' })
  assert.deepEqual([paused.status, paused.body], [200, { stream_id, status: 'paused', reason: 'Until noon' }])
  assert.deepEqual((await ask()).body, paused.body)
  const { enabled, health } = (await app.ask('GET', `/ssf_streams/${made.id}`)).body
  assert.deepEqual([enabled, health.state], [false, 'stopped'])
  const verified = await app.ask('POST', '/ssf_streams/verify', { body: { stream_id } })
  assert.deepEqual([verified.status, verified.body.message], [400, 'The stream is paused: enable it first.'])
  const versions = await rowVersions(app.db)
  await set({ status: 'paused', reason: 'Until noon' })
  assert.deepEqual(await rowVersions(app.db), versions)
  await set({ status: 'disabled' })
  assert.deepEqual((await set({ status: 'enabled', reason: null })).body, { stream_id, status: 'enabled' })
  assert.deepEqual((await audits()).slice(0, 3), [
    'Enabled the stream "One".',
    'Disabled the stream "One".',
    'Paused the stream "One": "Until noon".',
  ])
  assert.deepEqual(await app.db.selectFrom('ssf_stream_events').select('id').execute(), [])
})

test('a status that an administrator or the service sets is told to the receiver', async () => {
  const { organizationId } = app.tenant
  const { id: streamId } = await make.stream(organizationId)
  const context = systemChange(organizationId, app.now())
  await transact(app.db, (tx) =>
    setStreamStatus(tx, { streamId, status: 'disabled', reason: 'Moved', by: 'admin' }, context),
  )
  await transact(app.db, (tx) =>
    setStreamStatus(tx, { streamId, status: 'disabled', reason: 'Moved', by: 'admin' }, context),
  )
  await transact(app.db, (tx) =>
    setStreamStatus(tx, { streamId, status: 'enabled', reason: null, by: 'service' }, context),
  )
  const signals = await app.db.selectFrom('ssf_signals').select(['kind', 'event']).orderBy('id').execute()
  assert.deepEqual(signals, [
    { kind: 'stream_updated', event: { status: 'disabled', reason: 'Moved' } },
    { kind: 'stream_updated', event: { status: 'enabled' } },
  ])
})

test('verifySsfStream queues an event that has the state only where one was given', async () => {
  const { body: made } = await create({})
  for (const state of [{ state: 'abc' }, {}, { state: null }]) {
    const { status, body } = await app.ask('POST', '/ssf_streams/verify', {
      body: { stream_id: made.stream_id, ...state },
    })
    assert.deepEqual([status, body], [204, ''])
  }
  const signals = await app.db.selectFrom('ssf_signals').select(['kind', 'event']).orderBy('id').execute()
  assert.deepEqual(signals, [
    { kind: 'verification', event: { state: 'abc' } },
    { kind: 'verification', event: {} },
    { kind: 'verification', event: {} },
  ])
})

test('verifySsfStream: ten at once and one a second, a hundred at most that wait, and the rest are a 429', async () => {
  const { body: made } = await create({})
  const ask = async () => {
    const { status, headers } = await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: made.id } })
    return status === 429 ? `429 after ${headers['retry-after']}` : String(status)
  }
  const count = async (times: number) => {
    const answers = await Promise.all(Array.from({ length: times }, ask))
    return Object.fromEntries(
      Object.entries(Object.groupBy(answers, (one) => one)).map(([name, all]) => [name, all?.length]),
    )
  }
  assert.equal(made.min_verification_interval, 1)
  assert.deepEqual(await count(30), { 204: 10, '429 after 10': 20 })
  app.setNow(plusMs(app.now(), 9_999))
  assert.deepEqual(await count(1), { '429 after 10': 1 })
  for (let turn = 1; turn < 10; turn += 1) {
    app.setNow(plusMs(app.now(), 10_000))
    assert.deepEqual(await count(10), { 204: 10 })
  }
  app.setNow(plusMs(app.now(), 10_000))
  assert.deepEqual(await count(3), { '429 after 60': 3 })
  const { body: other } = await create({})
  assert.equal((await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: other.id } })).status, 204)
})

test('getSsfConfiguration: what receivers need to know, without a key', async () => {
  const { status, body } = await app.ask('GET', '/.well-known/ssf-configuration', { key: undefined })
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        spec_version: '1_0',
        issuer: baseUrl,
        jwks_uri: `${baseUrl}/ssf/jwks.json`,
        delivery_methods_supported: [push, poll],
        events_supported: events,
        configuration_endpoint: `${baseUrl}/ssf_streams`,
        status_endpoint: `${baseUrl}/ssf_streams/status`,
        verification_endpoint: `${baseUrl}/ssf_streams/verify`,
        authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6750' }, { spec_urn: 'urn:ietf:rfc:6749' }],
        default_subjects: 'ALL',
      },
    ],
  )
})

test('a stream of another organization is the same as none, and a receiver in trouble shows', async () => {
  const other = await app.addTenant()
  const theirs = await make.stream(other.organizationId)
  for (const path of [`/ssf_streams/${theirs.id}`, `/ssf_streams?stream_id=${theirs.stream_id}`]) {
    const { status, body } = await app.ask('GET', path)
    assert.deepEqual([status, body], [404, missing])
  }
  const ours = await make.stream(app.tenant.organizationId, { endpoint_url: 'https://r.example.com/' })
  await app.db
    .updateTable('ssf_stream_deliveries')
    .set({ failing_since: start, failures: 3, held_until: start, last_error: 'The receiver answered 503' })
    .where('stream_id', '=', ours.id)
    .where('organization_id', '=', app.tenant.organizationId)
    .execute()
  const { body } = await app.ask('GET', `/ssf_streams/${ours.id}`)
  const trouble = { failing_since: start, last_error: 'The receiver answered 503', last_delivered_at: null }
  assert.deepEqual(body.health, { state: 'failing', ...trouble })
  const moved = await patch(ours.id, { delivery: { method: push, endpoint_url: 'https://s.example.com/' } })
  assert.deepEqual(moved.body.health, healthy)
})

const moves: [what: string, endpoint_url: string, isKept: boolean][] = [
  ['another path', 'https://r.example.com/b', true],
  ['another host', 'https://s.example.com/a', false],
  ['another port', 'https://r.example.com:8443/a', false],
]
for (const [what, endpoint_url, isKept] of moves) {
  test(`the authorization header of a stream ${isKept ? 'is' : 'is not'} sent to ${what} unless it is given again`, async () => {
    const delivery = { method: push, endpoint_url: 'https://r.example.com/a', authorization_header: 'Bearer s3cret' }
    const { id } = (await create({ events_requested: events, delivery })).body
    const { body } = await patch(id, { delivery: { method: push, endpoint_url } })
    assert.deepEqual(
      [body.delivery.endpoint_url, body.authorization_header ?? null],
      [endpoint_url, isKept ? 'Bearer s3cret' : null],
    )
    assert.equal((await audits())[0]?.includes('dropped the authorization header'), !isKept)
    const again = await patch(id, { delivery: { ...delivery, endpoint_url: 'https://t.example.com/a' } })
    assert.equal(again.body.authorization_header, 'Bearer s3cret')
  })
}
