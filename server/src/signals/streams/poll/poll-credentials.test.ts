import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { baseUrl, type Tenant, testApp } from '../../../../test/support/app.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { revokeApiKey } from '../../../access/api-keys/revoke-api-key.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'

const limit = 20
const app = testApp({ env: { MUSTER_RATE_LIMIT_PER_MINUTE: String(limit) } })
const make = makeIn(app.database)
const vendorHeader = 'x-kolide-poll-bearer-token'

type Made = { id: string; stream_id: string; poll_bearer_token: string }
let stream: Made

beforeEach(async () => {
  await app.reset()
  stream = await create()
})

const create = async (key = app.tenant.key): Promise<Made> =>
  (await app.ask('POST', '/ssf_streams', { key, body: { name: 'Receiver' } })).body

async function accessToken({ keyId, key }: Pick<Tenant, 'keyId' | 'key'> = app.tenant, scope = 'ssf.read') {
  const form = { grant_type: 'client_credentials', client_id: keyId, client_secret: key, scope }
  const response = await app.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  })
  return String(response.json().access_token)
}

const poll = (key: string | undefined, of: Pick<Made, 'stream_id'> = stream, headers: Record<string, string> = {}) =>
  app.ask('GET', `/ssf_streams/${of.stream_id}/events`, { key, headers })
const rotate = async (mode: string, rest: object = {}) =>
  (await app.ask('POST', `/ssf_streams/${stream.id}/rotate_poll_token`, { body: { mode, ...rest } })).body

test('each of the three credentials polls and acknowledges, and an API key alone does not', async () => {
  const token = stream.poll_bearer_token
  const both = { [vendorHeader]: token }
  const credentials: [key: string, headers?: Record<string, string>][] = [
    [app.tenant.key, both],
    [token],
    [await accessToken()],
    [await accessToken(app.tenant, 'ssf.manage')],
  ]
  for (const [key, headers] of credentials) {
    await app.ask('POST', '/ssf_streams/verify', { body: { stream_id: stream.id } })
    const { status, body } = await poll(key, stream, headers)
    assert.deepEqual([status, Object.keys(body.sets).length], [200, 1])
    const ack = { key, headers: headers ?? {}, body: { ack: Object.keys(body.sets) } }
    assert.equal((await app.ask('POST', `/ssf_streams/${stream.id}/events`, ack)).status, 200)
    assert.deepEqual((await poll(key, stream, headers)).body, { sets: {} })
  }
  assert.equal((await poll(app.tenant.key)).status, 401)
})

test('a stream whose token is disabled refuses every credential, until one is rotated in', async () => {
  const access = await accessToken()
  const asked = () => [
    poll(app.tenant.key, stream, { [vendorHeader]: stream.poll_bearer_token }),
    poll(stream.poll_bearer_token),
    poll(access),
  ]
  const statuses = async () => (await Promise.all(asked())).map(({ status }) => status)
  assert.deepEqual(await statuses(), [200, 200, 200])
  await rotate('disable')
  assert.deepEqual(await statuses(), [401, 401, 401])
  const revived = await rotate('immediate')
  assert.deepEqual(await statuses(), [401, 401, 200])
  assert.equal((await poll(revived.poll_bearer_token)).status, 200)
})

test('during an overlap both tokens poll alone, and the former one no longer', async () => {
  const next = await rotate('overlap', { overlap_seconds: 60 })
  assert.equal((await poll(stream.poll_bearer_token)).status, 200)
  app.setNow(plusMs(app.now(), 60_000))
  assert.equal((await poll(stream.poll_bearer_token)).status, 401)
  assert.equal((await poll(next.poll_bearer_token)).status, 200)
})

test('an access token polls the streams that its key created, and no others', async () => {
  const other = await app.addKey(['manage_ssf_streams'])
  const theirs = await create(other)
  const mine = await accessToken()
  assert.deepEqual([(await poll(mine)).status, (await poll(mine, theirs)).status], [200, 401])
  // With the poll token of the stream, it stands for the key.
  assert.equal((await poll(mine, theirs, { [vendorHeader]: theirs.poll_bearer_token })).status, 200)
  assert.equal((await poll(mine, stream, { [vendorHeader]: theirs.poll_bearer_token })).status, 401)
  const byNoKey = await make.stream(app.tenant.organizationId)
  assert.equal((await poll(mine, byNoKey)).status, 401)
  const { keyId } = app.tenant
  await transact(app.db, (tx) => revokeApiKey(tx, { id: keyId }, systemChange(app.tenant.organizationId, app.now())))
  assert.equal((await poll(mine)).status, 401)
  assert.equal((await poll(stream.poll_bearer_token)).status, 200)
})

test('a stream that needs no token takes the key alone, and an access token of any key that may manage streams', async () => {
  const old = await make.stream(app.tenant.organizationId, { needs_no_poll_token: true })
  assert.equal((await poll(app.tenant.key, old)).status, 200)
  assert.equal((await poll(await accessToken(), old)).status, 200)
  assert.equal((await poll(stream.poll_bearer_token, old)).status, 401)
})

test('a poll token opens the events of its stream and nothing else', async () => {
  const key = stream.poll_bearer_token
  const other = await create()
  const { id, stream_id } = stream
  for (const [method, url, body] of [
    ['GET', `/ssf_streams/${other.stream_id}/events`],
    ['GET', `/ssf_streams/${randomUUID()}/events`],
    ['GET', '/ssf_streams/nonsense/events'],
    ['GET', `/ssf_streams/${id}`],
    ['GET', '/ssf_streams'],
    ['GET', `/ssf_streams?stream_id=${id}`],
    ['GET', `/ssf_streams/status?stream_id=${id}`],
    ['GET', `/ssf_streams/${id}/history`],
    ['GET', `/ssf_streams/${id}/snapshot`],
    ['PATCH', `/ssf_streams/${id}`, { name: 'x' }],
    ['POST', '/ssf_streams/status', { stream_id, status: 'disabled' }],
    ['POST', '/ssf_streams/verify', { stream_id }],
    ['POST', `/ssf_streams/${id}/rotate_poll_token`, { mode: 'disable' }],
    ['DELETE', `/ssf_streams/${id}`],
    ['GET', '/devices'],
    ['GET', '/whoami'],
  ] as const) {
    const answer = await app.ask(method, url, { key, ...(body && { body }) })
    assert.deepEqual([answer.status, answer.body.error], [401, 'unauthorized'], `${method} ${url}`)
  }
  assert.equal((await poll(key)).status, 200)
})

test('credentials of one organization open nothing of another, even where the streams have equal identifiers', async () => {
  const other = await app.addTenant()
  const { id, stream_id } = stream
  await make.stream(other.organizationId, { id, stream_id })
  await app.ask('POST', '/ssf_streams/verify', { body: { stream_id } })
  const theirs = await create(other.key)
  const theirAccess = await accessToken(other)
  const [ours, foreign] = [stream.poll_bearer_token, theirs.poll_bearer_token]
  const attacks: [name: string, key: string, of: Made, headers: Record<string, string>, status: number][] = [
    ['their poll token on our stream', foreign, stream, {}, 401],
    ['our poll token on their stream', ours, theirs, {}, 401],
    ['their access token on our stream', theirAccess, stream, {}, 401],
    ['their key with our token', other.key, stream, { [vendorHeader]: ours }, 401],
    ['their key with their token on our stream', other.key, stream, { [vendorHeader]: foreign }, 401],
    ['their access token with our token', theirAccess, stream, { [vendorHeader]: ours }, 401],
    ['our key with their token on their stream', app.tenant.key, theirs, { [vendorHeader]: foreign }, 404],
    ['our access token on their stream', await accessToken(), theirs, {}, 404],
    ['our poll token with their token beside it', ours, theirs, { [vendorHeader]: foreign }, 401],
  ]
  for (const [name, key, of, headers, status] of attacks) {
    assert.equal((await poll(key, of, headers)).status, status, name)
    const body = { ack: ['x'] }
    assert.equal((await app.ask('POST', `/ssf_streams/${of.stream_id}/events`, { key, headers, body })).status, status)
  }
  const host = 'globex.example'
  await app.db
    .updateTable('organizations')
    .set({ base_url: `https://${host}` })
    .where('id', '=', other.organizationId)
    .execute()
  assert.equal((await poll(ours, stream, { host })).status, 401)
  assert.equal((await poll(foreign, theirs, { host })).status, 200)
  // The poll token leads to the stream of its own organization, where another has the same address.
  const { body } = await poll(ours)
  assert.equal(Object.keys(body.sets).length, 1)
})

test('polls with the token alone are counted for each stream, apart from keys', async () => {
  const other = await create()
  const [first, second] = [stream.poll_bearer_token, other.poll_bearer_token]
  for (let turn = 1; turn <= limit; turn += 1) {
    const { status, headers } = await poll(first)
    assert.deepEqual([status, headers['ratelimit-remaining']], [200, String(limit - turn)])
  }
  const refused = await poll(first)
  assert.deepEqual([refused.status, refused.body.error], [429, 'rate_limited'])
  assert.match(refused.headers['retry-after'] ?? '', /^[1-9]\d?$/)
  assert.equal((await poll(second, other)).status, 200)
  assert.equal((await app.ask('GET', '/ssf_streams')).status, 200)
  await app.database.connection.executeScript(
    `update ssf_poll_windows set started_at = started_at - interval '1 minute'`,
  )
  assert.equal((await poll(first)).headers['ratelimit-remaining'], String(limit - 1))
})

test('the deleted stream of a poll token is gone, and a feature that was taken away ends its polls', async () => {
  const key = stream.poll_bearer_token
  for (const feature of ['ssf', 'write_api'] as const) {
    await app.db
      .updateTable('organizations')
      .set({ disabled_features: [feature] })
      .execute()
    const { status, body } = await poll(key)
    assert.deepEqual([status, body.error], [401, 'feature_unavailable'], feature)
  }
  await app.db.updateTable('organizations').set({ disabled_features: [] }).execute()
  assert.equal((await poll(key)).status, 200)
  await app.ask('DELETE', `/ssf_streams/${stream.id}`)
  assert.equal((await poll(key)).status, 401)
})

test('a token that is revoked while a poll with it alone waits ends the poll', async () => {
  const held = app.ask('POST', `/ssf_streams/${stream.id}/events`, { key: stream.poll_bearer_token, body: {} })
  await rotate('disable')
  const { status, headers } = await held
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
  assert.deepEqual([status, headers['www-authenticate']], [401, `Bearer ${metadata}, error="invalid_token"`])
})
