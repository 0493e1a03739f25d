import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../test/support/app.ts'
import { revokeApiKey } from '../access/api-keys/revoke-api-key.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'
import { plusMs } from '../base/time.ts'

const app = testApp()
beforeEach(() => app.reset())

type Options = { authorization?: string; type?: string }

async function token(form: Record<string, string> | string, { authorization, type }: Options = {}) {
  const response = await app.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: {
      'content-type': type ?? 'application/x-www-form-urlencoded',
      ...(authorization !== undefined && { authorization }),
    },
    payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

const grant = (members: Record<string, string> = {}) => ({
  grant_type: 'client_credentials',
  client_id: app.tenant.keyId,
  client_secret: app.tenant.key,
  ...members,
})
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
const statusOf = async (method: string, url: string, key: string, body?: object) =>
  (await app.ask(method, url, { key, ...(body && { body }) })).status

test('a key is traded for a token of an hour, by form and by header, that manages streams', async () => {
  const { status, body, headers } = await token(grant())
  const { access_token: accessToken, ...rest } = body
  assert.deepEqual([status, rest], [200, { token_type: 'Bearer', expires_in: 3_600, scope: 'ssf.manage ssf.read' }])
  assert.equal(headers['cache-control'], 'no-store')
  const byHeader = await token(
    { grant_type: 'client_credentials', scope: 'ssf.read' },
    {
      authorization: basic(app.tenant.keyId, app.tenant.key),
    },
  )
  assert.deepEqual([byHeader.status, byHeader.body.scope], [200, 'ssf.read'])
  assert.equal(await statusOf('POST', '/ssf_streams', accessToken, { name: 'A' }), 201)
  assert.equal(await statusOf('GET', '/ssf_streams', accessToken), 200)
  app.setNow(plusMs(app.now(), 3_599_000))
  assert.equal(await statusOf('GET', '/ssf_streams', accessToken), 200)
  app.setNow(plusMs(app.now(), 1_000))
  assert.equal(await statusOf('GET', '/ssf_streams', accessToken), 401)
})

test('a token that may read reads and polls, and is good for nothing but streams', async () => {
  const { body: stream } = await app.ask('POST', '/ssf_streams', { body: { name: 'A' } })
  const { body } = await token(grant({ scope: 'ssf.read' }))
  const key = body.access_token
  assert.equal(await statusOf('GET', `/ssf_streams/${stream.id}`, key), 200)
  const headers = { 'x-service-poll-bearer-token': stream.poll_bearer_token }
  const polled = await app.ask('POST', `/ssf_streams/${stream.id}/events`, { key, headers, body: { maxEvents: 0 } })
  assert.equal(polled.status, 200)
  for (const [method, url, sent] of [
    ['POST', '/ssf_streams', {}],
    ['DELETE', `/ssf_streams/${stream.id}`, undefined],
    ['GET', '/devices', undefined],
    ['GET', '/whoami', undefined],
  ] as const) {
    const answer = await app.ask(method, url, { key, ...(sent && { body: sent }) })
    assert.deepEqual([answer.status, answer.body.error], [403, 'permission_missing'], `${method} ${url}`)
  }
})

test('a token ends with its key, and counts as a request of it', async () => {
  const { body } = await token(grant())
  const before = await app.ask('GET', '/ssf_streams', {})
  const after = await app.ask('GET', '/ssf_streams', { key: body.access_token })
  const left = (answer: typeof before) => Number(answer.headers['ratelimit-remaining'])
  assert.equal(left(after), left(before) - 1)
  const { organizationId, keyId } = app.tenant
  await transact(app.db, (tx) => revokeApiKey(tx, { id: keyId }, systemChange(organizationId, app.now())))
  assert.equal(await statusOf('GET', '/ssf_streams', body.access_token), 401)
  assert.deepEqual((await token(grant())).body.error, 'invalid_client')
})

test('a token that was touched is none', async () => {
  const { access_token: accessToken } = (await token(grant())).body
  for (let place = 'mstr_at_'.length; place < accessToken.length; place += 1) {
    const other = accessToken[place] === 'A' ? 'B' : 'A'
    const touched = accessToken.slice(0, place) + other + accessToken.slice(place + 1)
    assert.equal(await statusOf('GET', '/ssf_streams', touched), 401, `at ${place}`)
  }
  for (const touched of [`${accessToken}A`, accessToken.slice(0, -1), 'mstr_at_', `${accessToken}=`]) {
    assert.equal(await statusOf('GET', '/ssf_streams', touched), 401)
  }
})

test('clients find the token endpoint and its scopes by RFC 8414, and by RFC 9728 where they begin at the resource', async () => {
  const read = async (name: string) => {
    const { status, body, headers } = await app.ask('GET', `/.well-known/${name}`, { key: undefined })
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=3600'])
    return body
  }
  const resource = await read('oauth-protected-resource')
  assert.deepEqual(resource, {
    resource: baseUrl,
    authorization_servers: [baseUrl],
    scopes_supported: ['ssf.manage', 'ssf.read'],
    bearer_methods_supported: ['header'],
    resource_name: 'Muster',
    resource_documentation: `${baseUrl}/docs`,
  })
  const server = await read('oauth-authorization-server')
  assert.deepEqual(server, {
    issuer: baseUrl,
    token_endpoint: `${baseUrl}/oauth/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: ['none'],
    scopes_supported: ['ssf.manage', 'ssf.read'],
    service_documentation: `${baseUrl}/docs`,
  })
})

test('a refused token is told what is wrong with it as RFC 6750 tells it', async () => {
  const { body } = await token(grant({ scope: 'ssf.read' }))
  const challenge = async (method: string, url: string, key: string | undefined, sent?: object) =>
    (await app.ask(method, url, { key, ...(sent && { body: sent }) })).headers['www-authenticate']
  const metadata = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
  assert.equal(await challenge('GET', '/ssf_streams', undefined), metadata)
  assert.equal(await challenge('GET', '/ssf_streams', 'mstr_at_x'), `${metadata}, error="invalid_token"`)
  assert.equal(await challenge('GET', '/ssf_streams', `${app.tenant.key}x`), `${metadata}, error="invalid_token"`)
  const tooSmall = `${metadata}, error="insufficient_scope"`
  assert.equal(await challenge('POST', '/ssf_streams', body.access_token, {}), `${tooSmall}, scope="ssf.manage"`)
  assert.equal(await challenge('GET', '/ssf_streams', app.tenant.readOnlyKey), `${tooSmall}, scope="ssf.read"`)
  assert.equal(await challenge('GET', '/devices', body.access_token), tooSmall)
  await app.db
    .updateTable('organizations')
    .set({ disabled_features: ['ssf'] })
    .execute()
  assert.equal(await challenge('GET', '/ssf_streams', body.access_token), metadata)
})

test('an access token of another organization opens nothing, and looks like one for what is not there', async () => {
  const other = await app.addTenant()
  const { body: stream } = await app.ask('POST', '/ssf_streams', { body: { name: 'A' } })
  const { body } = await token(grant({ client_id: other.keyId, client_secret: other.key }))
  const key = body.access_token
  const { id, stream_id } = stream
  for (const [method, url, sent] of [
    ['GET', `/ssf_streams/${id}`],
    ['GET', `/ssf_streams?stream_id=${stream_id}`],
    ['PATCH', '/ssf_streams', { stream_id, name: 'x' }],
    ['PUT', '/ssf_streams', { stream_id }],
    ['PATCH', `/ssf_streams/${id}`, { name: 'x' }],
    ['GET', `/ssf_streams/status?stream_id=${id}`],
    ['POST', '/ssf_streams/status', { stream_id, status: 'disabled' }],
    ['POST', '/ssf_streams/verify', { stream_id }],
    ['POST', `/ssf_streams/${id}/test`, { email: 'ana@acme.example' }],
    ['POST', `/ssf_streams/${id}/rotate_poll_token`, { mode: 'immediate' }],
    ['POST', `/ssf_streams/${id}/replay`, { from: '2026-11-20', to: '2026-11-21' }],
    ['GET', `/ssf_streams/${id}/events`],
    ['POST', `/ssf_streams/${id}/events`, { ack: [] }],
    ['GET', `/ssf_streams/${id}/history`],
    ['GET', `/ssf_streams/${id}/snapshot`],
    ['GET', `/ssf_streams/${id}/checkpoint`],
    ['DELETE', `/ssf_streams?stream_id=${id}`],
    ['DELETE', `/ssf_streams/${id}`],
  ] as const) {
    const answer = await app.ask(method, url, { key, ...(sent && { body: sent }) })
    assert.deepEqual([answer.status, answer.body.error], [404, 'not_found'], `${method} ${url}`)
  }
  assert.deepEqual((await app.ask('GET', `/ssf_streams/${id}`)).body.name, 'A')
})

test('listSsfStreams: an access token is answered the array of the streams that its key created', async () => {
  const otherKey = await app.addKey(['manage_ssf_streams'])
  const { access_token: key } = (await token(grant())).body
  assert.deepEqual((await app.ask('GET', '/ssf_streams', { key })).body, [])
  await app.ask('POST', '/ssf_streams', { key: otherKey, body: { name: 'Other' } })
  const { body: byKey } = await app.ask('POST', '/ssf_streams', { body: { name: 'By key' } })
  const { body: byToken } = await app.ask('POST', '/ssf_streams', { key, body: { name: 'By token' } })
  const expected = [byKey, byToken].map(({ poll_bearer_token: _, ...record }) => record)
  const { status, body, headers } = await app.ask('GET', '/ssf_streams', { key })
  assert.deepEqual([status, body, headers['cache-control']], [200, expected, 'no-store'])
  const one = await app.ask('GET', `/ssf_streams?stream_id=${byToken.stream_id}`, { key })
  assert.deepEqual([one.status, one.body], [200, expected[1]])
  const envelope = await app.ask('GET', '/ssf_streams')
  assert.deepEqual(envelope.body.data.length, 3)
})

test('an unacceptable body is a 400 for an access token, and a 422 for a key', async () => {
  const { body } = await token(grant())
  const bodies: [method: string, url: string, sent: object, field: string][] = [
    ['POST', '/ssf_streams', { delivery: { method: 'urn:ietf:rfc:8935' } }, 'delivery/endpoint_url'],
    ['POST', '/ssf_streams', { description: 'x'.repeat(1_001) }, 'description'],
    ['POST', '/ssf_streams/status', { stream_id: '1', status: 'off' }, 'status'],
    ['POST', '/ssf_streams/status', { status: 'enabled' }, 'stream_id'],
    ['POST', '/ssf_streams/verify', {}, 'stream_id'],
    ['PATCH', '/ssf_streams', { name: 'x' }, 'stream_id'],
    ['GET', '/ssf_streams/status', {}, 'stream_id'],
  ]
  for (const [method, url, sent, field] of bodies) {
    const options = method === 'GET' ? {} : { body: sent }
    const byKey = await app.ask(method, url, options)
    assert.deepEqual([byKey.status, byKey.body.errors?.[0]?.field], [422, field], `${method} ${url}`)
    const byToken = await app.ask(method, url, { ...options, key: body.access_token })
    assert.deepEqual([byToken.status, byToken.body.error], [400, 'malformed_request'], `${method} ${url}`)
    assert.ok(byToken.body.message.includes(field), byToken.body.message)
  }
})

test('what is wrong with a request is told as OAuth tells it', async () => {
  const other = await app.addTenant()
  const cases: [form: Record<string, string> | string, options: Options, status: number, error: string][] = [
    [grant({ client_secret: `${app.tenant.key}x` }), {}, 401, 'invalid_client'],
    [grant({ client_id: app.tenant.readOnlyKeyId }), {}, 401, 'invalid_client'],
    [grant({ client_id: other.keyId }), {}, 401, 'invalid_client'],
    [grant({ client_id: '' }), {}, 401, 'invalid_client'],
    ['grant_type=client_credentials', { authorization: basic('1', 'x') }, 401, 'invalid_client'],
    [grant(), { authorization: basic(app.tenant.keyId, app.tenant.key) }, 400, 'invalid_request'],
    [grant({ grant_type: 'password' }), {}, 400, 'unsupported_grant_type'],
    [grant({ scope: 'ssf.read devices' }), {}, 400, 'invalid_scope'],
    [grant({ scope: ' ' }), {}, 400, 'invalid_scope'],
    [
      grant({ client_id: app.tenant.readOnlyKeyId, client_secret: app.tenant.readOnlyKey }),
      {},
      400,
      'unauthorized_client',
    ],
    ['', {}, 400, 'invalid_request'],
    ['grant_type=client_credentials&grant_type=client_credentials', {}, 400, 'invalid_request'],
    ['{}', { type: 'application/json' }, 400, 'invalid_request'],
  ]
  for (const [form, options, status, error] of cases) {
    const answer = await token(form, options)
    assert.deepEqual([answer.status, answer.body.error], [status, error], JSON.stringify([form, answer.body]))
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(
      answer.headers['www-authenticate'] !== undefined,
      status === 401 && options.authorization !== undefined,
    )
  }
})
