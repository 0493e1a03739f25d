import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, beforeEach, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { generate } from 'selfsigned'
import { baseUrl, testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { openOutbound } from '../../base/outbound/outbound.ts'
import { complianceChangeType } from './event-types.ts'

const certificate = await generate([{ name: 'commonName', value: 'receiver.test' }], {
  keyType: 'ec',
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'receiver.test' }] }],
})

type Seen = { headers: IncomingMessage['headers']; url: string; token: string }
const seen: Seen[] = []
/** Answers the status that its path names; does not answer at `/hang`. */
const receiver = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
  const { headers, url = '' } = request
  void text(request).then((token) => {
    seen.push({ headers, url, token })
    if (url === '/hang') return
    response.writeHead(Number(url.slice(1))).end('{"err":"invalid_key","description":"secret of the receiver"}')
  })
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo
after(() => {
  receiver.closeAllConnections()
  receiver.close()
})

const app = testApp({
  env: { MUSTER_ALLOW_PRIVATE_RECEIVERS: '1' },
  outbound: openOutbound({
    allowPrivate: true,
    extraAuthorities: [certificate.cert],
    resolve: (_host, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  }),
})
const make = makeIn(app.database)
beforeEach(async () => {
  seen.length = 0
  await app.reset()
})

const origin = `https://receiver.test:${port}`
const email = 'ana@acme.example'
const hint = 'Nobody in the organization has this e-mail address: the event names the address and no device.'

async function pushTo(url: string, authorization?: string) {
  const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: url, authorization_header: authorization }
  const { status, body } = await app.ask('POST', '/ssf_streams', { body: { name: 'Okta', delivery } })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const send = (id: string, to = email) => app.ask('POST', `/ssf_streams/${id}/test`, { body: { email: to } })

const history = async (id: string) => {
  const [row] = (await app.ask('GET', `/ssf_streams/${id}/history`)).body.data
  const [attempt] = row.attempts
  return [row.kind, row.state, row.error, row.attempts.length, attempt?.status, attempt?.error]
}

test('testSsfStream pushes a signed event that says how the device of the person really stands', async () => {
  const { organizationId } = app.tenant
  const person = await make.person(organizationId, { email: 'Ana@acme.example' })
  const device = await make.device(organizationId, { registered_owner_id: person.id })
  await app.db.updateTable('devices').set({ signalled_status: 'not-compliant' }).where('id', '=', device.id).execute()
  const stream = await pushTo(`${origin}/202`, 'Bearer s3cret')
  const { status, body } = await send(stream.stream_id)
  const id = body.ssf_stream_event_id
  assert.deepEqual([status, body], [200, { success: true, response_code: '202', ssf_stream_event_id: id }])
  const [{ headers, token } = { headers: {}, token: '' }] = seen
  assert.deepEqual(
    [headers['content-type'], headers.accept, headers.authorization],
    ['application/secevent+jwt', 'application/json', 'Bearer s3cret'],
  )
  const { body: keys } = await app.ask('GET', '/ssf/jwks.json')
  const checks = { issuer: baseUrl, audience: `${origin}/202`, typ: 'secevent+jwt', algorithms: ['RS256'] }
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), checks)
  assert.deepEqual(payload['sub_id'], {
    format: 'complex',
    user: { format: 'email', email },
    device: { format: 'iss_sub', iss: baseUrl, sub: device.id },
    tenant: { format: 'opaque', id: organizationId },
  })
  assert.deepEqual(payload['events'], {
    [complianceChangeType]: {
      previous_status: 'compliant',
      current_status: 'not-compliant',
      event_timestamp: Date.parse(app.now()) / 1_000,
      initiating_entity: 'admin',
      reason_admin: { en: 'Test event' },
    },
  })
  assert.deepEqual(await history(stream.id), ['test', 'delivered', null, 1, 202, null])
  const audit = await app.ask('GET', '/audit_logs?query=description~"test event"')
  assert.deepEqual(audit.body.data[0].description, `Sent a test event about "${email}" to the stream "Okta".`)
})

test('a test says that a device has come to its present status, and what it could not name', async () => {
  const { organizationId } = app.tenant
  const { body: stream } = await app.ask('POST', '/ssf_streams', { body: {} })
  const latest = async () => {
    const { event, device_id } = await app.db
      .selectFrom('ssf_signals')
      .select(['event', 'device_id'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    return [event['previous_status'], event['current_status'], device_id]
  }
  const person = await make.person(organizationId, { email })
  assert.equal((await send(stream.id)).body.hint, 'No device is registered to this person: the event names no device.')
  const device = await make.device(organizationId, { registered_owner_id: person.id })
  assert.ok(!('hint' in (await send(stream.id)).body))
  assert.deepEqual(await latest(), ['not-compliant', 'compliant', device.id])
  await app.db.updateTable('devices').set({ signalled_status: 'not-compliant' }).execute()
  await send(stream.id)
  assert.deepEqual(await latest(), ['compliant', 'not-compliant', device.id])
})

test('an address names its person however it is spelled, whatever the locale of the database is', async () => {
  const person = await make.person(app.tenant.organizationId, { email: 'RENÉ@acme.example' })
  await make.device(app.tenant.organizationId, { registered_owner_id: person.id })
  const { body: stream } = await app.ask('POST', '/ssf_streams', { body: {} })
  assert.ok(!('hint' in (await send(stream.id, 'rené@acme.example')).body))
})

test('whatever a receiver answers shows as its status alone, without Authorization where none is set', async () => {
  for (const code of ['400', '302', '500']) {
    const stream = await pushTo(`${origin}/${code}`)
    const { status, body } = await send(stream.id)
    const id = body.ssf_stream_event_id
    assert.deepEqual([status, body], [200, { success: false, response_code: code, ssf_stream_event_id: id, hint }])
    const said = `The receiver answered ${code}`
    const error = { err: 'test_failed', description: said }
    assert.deepEqual(await history(stream.id), ['test', 'rejected', error, 1, Number(code), said])
  }
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    [undefined, undefined, undefined],
  )
})

test('no answer is the same answer after the same time, whatever the reason', async () => {
  const urls = [`${origin}/hang`, 'https://receiver.test:1023/', `https://other.test:${port}/202`]
  const streams = []
  for (const url of urls) streams.push(await pushTo(url))
  const answers = await Promise.all(
    streams.map(async ({ id }) => {
      const startedAt = performance.now()
      const { status, body } = await send(id)
      return { status, body, tookMs: performance.now() - startedAt }
    }),
  )
  for (const [index, { status, body, tookMs }] of answers.entries()) {
    const { ssf_stream_event_id } = body
    const expected = { success: false, response_code: 'no_response', ssf_stream_event_id, hint }
    assert.deepEqual([status, body], [200, expected], urls[index])
    assert.ok(tookMs >= 4_990, `${urls[index]} took ${tookMs} ms`)
  }
})

test('an address that nobody has, and one of another organization, are answered the same', async () => {
  const other = await app.addTenant()
  const stranger = await make.person(other.organizationId, { email: 'eve@globex.example' })
  await make.device(other.organizationId, { registered_owner_id: stranger.id })
  const { body: stream } = await app.ask('POST', '/ssf_streams', { body: {} })
  const signals = []
  for (const to of ['eve@globex.example', 'nobody@globex.example']) {
    const { status, body } = await send(stream.id, to)
    const id = body.ssf_stream_event_id
    assert.deepEqual([status, body], [200, { success: true, response_code: '202', ssf_stream_event_id: id, hint }])
    const row = await app.db
      .selectFrom('ssf_signals')
      .select(['kind', 'device_id', 'event', 'user_email'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    assert.equal(row.user_email, to)
    signals.push({ ...row, user_email: '' })
  }
  assert.deepEqual(signals[0], signals[1])
  assert.equal(signals[0]?.device_id, null)
  assert.deepEqual(await history(stream.id), ['test', 'pending', null, 0, undefined, undefined])
})

test('a stream that is not on sends no test', async () => {
  const stream = await pushTo(`${origin}/202`)
  await app.ask('POST', '/ssf_streams/status', { body: { stream_id: stream.id, status: 'disabled' } })
  const { status, body } = await send(stream.id)
  assert.deepEqual([status, body.message], [400, 'The stream is disabled: enable it first.'])
  assert.deepEqual(seen, [])
})
