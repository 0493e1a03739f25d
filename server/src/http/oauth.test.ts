import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../test/support/app.ts'
import { revokeApiKey } from '../api-keys/revoke-api-key.ts'
import { systemActor } from '../audit/record-audit.ts'
import { transact } from '../db/transact.ts'
import { plusMs } from '../issues/rules.ts'

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
  await transact(app.db, (tx) => revokeApiKey(tx, { organizationId, id: keyId, actor: systemActor, now: app.now() }))
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
