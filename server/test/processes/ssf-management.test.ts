import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { engine, testDatabase } from '../support/database.ts'
import { eventTypes } from '../support/set-checks.ts'
import { openTlsServer, type TlsServer } from '../support/tls-server.ts'
import { grant, type Metadata, type Operation, operationsOn, send } from './ssf-client.ts'

// What the conformance suite of OpenID asserts of a transmitter's metadata and management, over TLS.
const database = engine === 'postgres' ? testDatabase() : undefined

const [push, poll] = ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936']
const receiverUrl = 'https://receiver.example.com/events'
const supported = [eventTypes.complianceChange, eventTypes.verification]
const requested = [eventTypes.complianceChange, 'https://events.example/unknown']

test('the transmitter as the conformance suite sees it', { timeout: 280_000 }, async (t) => {
  const tls = await openTlsServer(t, database)
  const { body: metadata } = await send(`${tls.origin}/.well-known/ssf-configuration`, 'GET')
  await t.test('its metadata says where everything is, by https, and names public keys only', () =>
    checkMetadata(tls, metadata),
  )
  const { access_token: token } = await grant(tls, 'ssf.manage ssf.read')
  for (const delivery of [{ method: push, endpoint_url: receiverUrl }, { method: poll }]) {
    await t.test(`a stream of ${delivery.method} lives from its creation to its deletion`, () =>
      live(metadata, token, delivery),
    )
  }
  await t.test('broken JSON is refused with 400, a bad token with 401, an unknown or deleted stream with 404', () =>
    refuse(metadata, token),
  )
  await t.test('a token that may only read changes nothing, and one of no client is not given', () =>
    readOnly(tls, metadata),
  )
  assert.equal(await tls.server.stop(), 0)
})

async function checkMetadata({ origin }: TlsServer, metadata: Metadata): Promise<void> {
  assert.deepEqual(metadata, {
    spec_version: '1_0',
    issuer: origin,
    jwks_uri: `${origin}/ssf/jwks.json`,
    delivery_methods_supported: [push, poll],
    events_supported: supported,
    configuration_endpoint: `${origin}/ssf_streams`,
    status_endpoint: `${origin}/ssf_streams/status`,
    verification_endpoint: `${origin}/ssf_streams/verify`,
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6750' }, { spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: 'ALL',
  })
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value === 'string' && /_endpoint$|_uri$|^issuer$/.test(name)) assert.match(value, /^https:\/\//)
    if (Array.isArray(value)) assert.ok(value.length > 0, name)
  }
  const { status, body, headers } = await send(metadata.jwks_uri, 'GET')
  assert.deepEqual([status, Object.keys(body)], [200, ['keys']])
  assert.match(headers.get('cache-control') ?? '', /max-age=\d+/)
  assert.ok(body.keys.length > 0)
  for (const { kid, n, e, ...rest } of body.keys) {
    assert.deepEqual(rest, { kty: 'RSA', alg: 'RS256', use: 'sig' }, 'no member of a private key')
    assert.ok(kid !== '' && typeof e === 'string')
    assert.ok(Buffer.from(n, 'base64url').length >= 256, 'at least 2,048 bits')
  }
}

type Delivery = { method: string; endpoint_url?: string }

async function live(metadata: Metadata, token: string, delivery: Delivery): Promise<void> {
  const { configuration_endpoint: streams } = metadata
  const record = await createAndRead(metadata, token, delivery)
  await change(streams, token, record)
  await turnOnAndOff(metadata, token, record.stream_id)
  const byQuery = `${streams}?stream_id=${record.stream_id}`
  const url = delivery.method === poll ? `${streams}/${record.stream_id}` : byQuery
  const deleted = await send(url, 'DELETE', { token })
  assert.deepEqual([deleted.status, deleted.body], [204, undefined])
}

type StreamRecord = Record<string, unknown> & { stream_id: string }

async function createAndRead(metadata: Metadata, token: string, delivery: Delivery): Promise<StreamRecord> {
  const { configuration_endpoint: streams, issuer } = metadata
  const created = await send(streams, 'POST', {
    token,
    json: { delivery, events_requested: [...requested, eventTypes.verification], description: 'Suite' },
  })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  assert.equal(created.headers.get('cache-control'), 'no-store')
  const { poll_bearer_token: pollToken, ...shown } = created.body
  assert.equal(typeof pollToken, delivery.method === poll ? 'string' : 'undefined')
  const own = `${issuer}/ssf_streams/${shown.stream_id}`
  const record = {
    ...shown,
    iss: issuer,
    aud: delivery.endpoint_url ?? own,
    description: 'Suite',
    events_supported: supported,
    events_requested: [...requested, eventTypes.verification],
    events_delivered: supported,
    delivery: { method: delivery.method, endpoint_url: delivery.endpoint_url ?? `${own}/events` },
  }
  assert.deepEqual(shown, record)
  for (const url of [`${streams}?stream_id=${shown.stream_id}`, own]) {
    const { status, body, headers } = await send(url, 'GET', { token })
    assert.deepEqual([status, body, headers.get('cache-control')], [200, record, 'no-store'])
  }
  const { body: all } = await send(streams, 'GET', { token })
  const ofStream = all.filter(({ stream_id: id }: StreamRecord) => id === shown.stream_id)
  assert.deepEqual(ofStream, [record])
  return record
}

async function change(streams: string, token: string, record: StreamRecord): Promise<void> {
  const { stream_id: id, description: _description, ...bare } = record
  const changeable = (body: Record<string, unknown>) => ({ ...body, updated_at: record['updated_at'] })
  const patched = await send(streams, 'PATCH', { token, json: { stream_id: id, name: 'Patched' } })
  assert.deepEqual([patched.status, changeable(patched.body)], [200, { ...record, name: 'Patched' }])
  // The whole record as it was read, as SSF 1.0 §8.1.1.4 has it; what is missing has its default again.
  const { description: _gone, ...whole } = patched.body
  const put = await send(streams, 'PUT', { token, json: { ...whole, name: 'Put' } })
  assert.deepEqual([put.status, changeable(put.body)], [200, { ...bare, stream_id: id, name: 'Put' }])
  const owned = await send(streams, 'PATCH', { token, json: { stream_id: id, iss: 'https://evil.example' } })
  assert.deepEqual([owned.status, owned.body.error], [400, 'malformed_request'])
}

async function turnOnAndOff(metadata: Metadata, token: string, id: string): Promise<void> {
  const { configuration_endpoint: streams, status_endpoint: statuses, verification_endpoint: verify } = metadata
  for (const status of ['paused', 'disabled', 'enabled']) {
    const set = await send(statuses, 'POST', { token, json: { stream_id: id, status, reason: 'Suite' } })
    const read = await send(`${statuses}?stream_id=${id}`, 'GET', { token })
    const expected = { stream_id: id, status, reason: 'Suite' }
    assert.deepEqual([set.status, set.body, read.status, read.body], [200, expected, 200, expected])
    const { body } = await send(`${streams}?stream_id=${id}`, 'GET', { token })
    assert.equal(body.enabled, status === 'enabled')
    const verified = await send(verify, 'POST', { token, json: { stream_id: id } })
    assert.equal(verified.status, status === 'enabled' ? 204 : 400)
  }
}

async function refuse(metadata: Metadata, token: string): Promise<void> {
  const { configuration_endpoint: streams } = metadata
  const { body } = await send(streams, 'POST', { token, json: { delivery: { method: poll } } })
  const deletedId = body.stream_id
  const creation: Operation = ['POST', streams, { delivery: { method: poll } }]
  const here = [creation, ['GET', streams] as Operation, ...operationsOn(metadata, deletedId)]
  for (const [method, url, json] of here) {
    for (const bad of [undefined, 'nonsense', `${token}x`, `mstr_v1_${'a'.repeat(36)}`]) {
      const { status } = await send(url, method, { ...(bad !== undefined && { token: bad }), json })
      assert.equal(status, 401, `${method} ${url} with ${bad}`)
    }
    if (!json) continue
    for (const text of ['{"delivery":', '{"stream_id":"x"', '{"ack":["x"']) {
      const { status, body: said } = await send(url, method, { token, text })
      assert.deepEqual([status, said.error], [400, 'malformed_json'], `${method} ${url} ${text}`)
    }
  }
  assert.equal((await send(`${streams}/${deletedId}`, 'DELETE', { token })).status, 204)
  const answers = new Set<string>()
  for (const id of [deletedId, randomUUID(), '999999999', 'nonsense']) {
    for (const [method, url, json] of operationsOn(metadata, id)) {
      const { status, body: said } = await send(url, method, { token, json })
      assert.equal(status, 404, `${method} ${url}`)
      answers.add(JSON.stringify(said))
    }
  }
  assert.equal(answers.size, 1, 'a deleted stream and one that never was are answered alike')
}

async function readOnly(tls: TlsServer, metadata: Metadata): Promise<void> {
  const { access_token: token, status } = await grant(tls, 'ssf.read')
  assert.equal(status, 200)
  const { configuration_endpoint: streams } = metadata
  assert.equal((await send(streams, 'GET', { token })).status, 200)
  const refused = await send(streams, 'POST', { token, json: { delivery: { method: poll } } })
  assert.equal(refused.status, 403, JSON.stringify(refused.body))
  const secret = tls.key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))
  const wrong = await grant(tls, 'ssf.read', { secret })
  assert.deepEqual([wrong.status, 'error' in wrong && wrong.error], [401, 'invalid_client'])
}
