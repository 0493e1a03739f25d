import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { after, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { createApiKey } from '../../src/access/api-keys/create-api-key.ts'
import { buildApp } from '../../src/app.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { transact } from '../../src/base/db/transact.ts'
import { createLogger } from '../../src/base/logging.ts'
import { openSecrets } from '../../src/base/secrets/secrets.ts'
import { plusMs } from '../../src/base/time.ts'
import { setBaseUrl } from '../../src/inventory/organizations/set-base-url.ts'
import { type Streams, startStreams } from '../../src/signals/streams/start-streams.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const baseUrl = 'https://trust.example.test'
let now = '2026-11-20T10:00:00.000Z'
const secrets = openSecrets(randomBytes(32))

/** The migrations of before organizations had signing keys of their own. */
const before = await migrationsBefore('signing_keys_of_organizations')
const [several, single] = [testDatabase(before), testDatabase(before)]
type Old = typeof several

const kid = randomUUID()
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

function tokenOfBefore(audience: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { iss: baseUrl, jti: randomUUID(), iat: Date.parse(now) / 1_000, aud: audience, events: {} }
  const signed = `${encode({ alg: 'RS256', kid, typ: 'secevent+jwt' })}.${encode(claims)}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** A database as the version before left it: each number is a poll stream of that organization with an event that is signed and waits. */
async function fill({ connection }: Old, organizationCount: number, streamsOf: readonly number[]) {
  const db = connection.db
  for (let id = 1; id <= organizationCount; id += 1) {
    await sql`insert into organizations (name, created_at) values (${`Organization ${id}`}, ${now})`.execute(db)
  }
  const sealed = secrets.seal(privateKey.export({ type: 'pkcs8', format: 'der' }), ['signing_key', kid])
  await sql`
    insert into signing_keys (kid, sealed_private_key, public_jwk, created_at, active_from)
    values (${kid}, ${sealed}, ${JSON.stringify(publicKey.export({ format: 'jwk' }))}::jsonb, ${now}, ${now})`.execute(
    db,
  )
  const streams = []
  for (const organizationId of streamsOf) {
    const uuid = randomUUID()
    const audience = `${baseUrl}/ssf_streams/${uuid}`
    const { rows } = await sql<{ id: string }>`
      insert into ssf_streams (organization_id, stream_id, name, spec_version, delivery_type, events_requested, needs_no_poll_token, created_at, updated_at)
      values (${organizationId}, ${uuid}, 'Receiver', 'v1_0', 'poll', '{}', true, ${now}, ${now}) returning id`.execute(
      db,
    )
    const id = rows[0]?.id ?? ''
    await sql`insert into ssf_stream_deliveries (organization_id, stream_id, last_sequence) values (${organizationId}, ${id}, 1)`.execute(
      db,
    )
    const { rows: signals } = await sql<{ id: string }>`
      insert into ssf_signals (organization_id, kind, event, txn, occurred_at)
      values (${organizationId}, 'verification', '{}'::jsonb, 'T', ${now}) returning id`.execute(db)
    await sql`
      insert into ssf_stream_events (organization_id, stream_id, signal_id, kind, sequence, token, issued_at, queued_at)
      values (${organizationId}, ${id}, ${signals[0]?.id}, 'verification', 1, ${tokenOfBefore(audience)}, ${now}, ${now})`.execute(
      db,
    )
    streams.push({ organizationId: String(organizationId), uuid, audience })
  }
  return streams
}

type Running = { app: FastifyInstance; streams: Streams; keyOf: (organizationId: string) => Promise<string> }

async function start({ connection }: Old): Promise<Running> {
  const config = loadConfig({ MUSTER_BASE_URL: baseUrl, LOG_LEVEL: 'silent' })
  const common = { connection, secrets, clock: () => now, log: createLogger('silent') }
  const streams = await startStreams({ ...config, ...common })
  const app = buildApp({ ...common, config, streams: streams.parts })
  after(async () => {
    await app.close()
    await streams.stop()
  })
  const keyOf = async (organizationId: string) => {
    const key = {
      name: 'Receiver',
      responsibleAdministrator: 'Ada',
      permissions: { manage_ssf_streams: 'The test needs it.' },
    }
    return (await transact(connection.db, (tx) => createApiKey(tx, secrets, key, systemChange(organizationId, now))))
      .key
  }
  return { app, streams, keyOf }
}

const keySetOf = async (app: FastifyInstance) => (await app.inject({ url: '/ssf/jwks.json' })).json()

test('after the upgrade receivers of two organizations verify old and new tokens with their old configuration', async () => {
  await several.ready
  const made = await fill(several, 2, [1, 1, 2])
  await migrate(several.connection)
  const { app, keyOf } = await start(several)
  const keys = createLocalJWKSet(await keySetOf(app))
  for (const { organizationId, uuid, audience } of made) {
    const key = await keyOf(organizationId)
    const headers = { authorization: `Bearer ${key}` }
    const asked = await app.inject({
      method: 'POST',
      url: '/ssf_streams/verify',
      headers,
      payload: { stream_id: uuid },
    })
    assert.equal(asked.statusCode, 204)
    const { sets } = (await app.inject({ url: `/ssf_streams/${uuid}/events`, headers })).json()
    assert.equal(Object.keys(sets).length, 2)
    for (const token of Object.values<string>(sets)) {
      const { protectedHeader } = await jwtVerify(token, keys, {
        issuer: baseUrl,
        audience,
        currentDate: new Date(now),
      })
      assert.equal(protectedHeader.kid, kid)
    }
    const record = (await app.inject({ url: `/ssf_streams/${uuid}`, headers })).json()
    assert.deepEqual([record.iss, record.aud], [baseUrl, audience])
  }
  const [, , foreign] = made
  const headers = { authorization: `Bearer ${await keyOf('2')}` }
  const change = { method: 'PATCH', url: `/ssf_streams/${foreign?.uuid}`, headers } as const
  const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://receiver.example.com/events' }
  const forged = await app.inject({ ...change, payload: { delivery, aud: 'https://acme.okta.com' } })
  assert.equal(forged.statusCode, 422, 'the audience of a stream that signs with the shared key stays')
  assert.equal((await app.inject({ ...change, payload: { name: 'Renamed' } })).statusCode, 200)
})

test('a moved stream signs with the key of its organization; what was queued before keeps issuer and key', async () => {
  const { app, keyOf } = await start(several)
  const { id, uuid } = await findForeign()
  const headers = { authorization: `Bearer ${await keyOf('2')}` }
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() }
  }
  const { body: before } = await call('GET', `/ssf_streams/${uuid}/issuer`)
  assert.deepEqual([before.present.iss, before.next, before.has_shared_key], [baseUrl, null, true])
  assert.equal((await call('POST', `/ssf_streams/${uuid}/move`)).status, 422, 'there is no address to move to')
  const own = 'https://two.example.test'
  const address = { baseUrl: own, commonBaseUrl: baseUrl }
  await transact(several.db, (tx) => setBaseUrl(tx, address, systemChange('2', now)))
  assert.equal((await call('GET', `/ssf_streams/${uuid}`)).body.iss, baseUrl, 'an address moves no stream')
  const { body: planned } = await call('GET', `/ssf_streams/${uuid}/issuer`)
  const audience = `${own}/ssf_streams/${uuid}`
  assert.deepEqual(planned.next, { iss: own, jwks_uri: `${own}/ssf/jwks.json`, aud: audience })

  await call('POST', '/ssf_streams/verify', { stream_id: uuid })
  now = plusMs(now, 1_000)
  const moved = await call('POST', `/ssf_streams/${uuid}/move`)
  assert.deepEqual([moved.status, moved.body.iss, moved.body.aud], [200, own, audience])
  assert.equal((await call('POST', `/ssf_streams/${uuid}/move`)).status, 200, 'twice is once')
  await call('POST', '/ssf_streams/verify', { stream_id: uuid })
  const { sets } = (await call('GET', `/ssf_streams/${uuid}/events`)).body
  const issuers = Object.values<string>(sets).map((token) => decodeJwt(token).iss)
  assert.deepEqual(issuers, [...Array.from({ length: issuers.length - 1 }, () => baseUrl), own])

  const keysAt = async (host: string) =>
    createLocalJWKSet((await app.inject({ url: '/ssf/jwks.json', headers: { host } })).json())
  const verify = async (token: string, host: string, issuer: string) =>
    jwtVerify(token, await keysAt(host), { issuer, currentDate: new Date(now) })
  const tokens = Object.values<string>(sets)
  for (const token of tokens.slice(0, -1)) await verify(token, 'trust.example.test', baseUrl)
  await verify(tokens.at(-1) ?? '', 'two.example.test', own)
  await assert.rejects(verify(tokens.at(-1) ?? '', 'trust.example.test', own), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  const { body: after } = await call('GET', `/ssf_streams/${uuid}/issuer`)
  assert.deepEqual([after.next, after.has_shared_key, after.former.iss], [null, false, baseUrl])
  assert.equal(after.former.verified_until, plusMs(now, 31 * 86_400_000))
  const entries = await several.db
    .selectFrom('audit_logs')
    .select('description')
    .where('organization_id', '=', '2')
    .execute()
  assert.ok(
    entries.some(
      ({ description }) => description === `Moved the stream "Renamed" from the issuer ${baseUrl} to ${own}.`,
    ),
  )
  assert.equal(
    (
      await several.db
        .selectFrom('ssf_streams')
        .select('signing_purpose')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).signing_purpose,
    'signals',
  )
})

test('the shared key stays published until 31 days after the last stream was moved', async () => {
  const { app, keyOf } = await start(several)
  const headers = { authorization: `Bearer ${await keyOf('1')}` }
  const streams = await several.db
    .selectFrom('ssf_streams')
    .select('stream_id')
    .where('organization_id', '=', '1')
    .execute()
  const move = async ({ stream_id: uuid }: { stream_id: string }) =>
    (await app.inject({ method: 'POST', url: `/ssf_streams/${uuid}/move`, headers })).statusCode
  const [first = { stream_id: '' }] = streams
  assert.equal(await move(first), 422, 'receivers of the same key set may not have the new key yet')
  now = plusMs(now, 2 * 3_600_000)
  for (const stream of streams) assert.equal(await move(stream), 200)
  const kids = async () => (await keySetOf(app)).keys.map((key: { kid: string }) => key.kid)
  now = plusMs(now, 31 * 86_400_000 - 1)
  assert.ok((await kids()).includes(kid))
  now = plusMs(now, 1)
  assert.ok(!(await kids()).includes(kid))
  assert.equal((await kids()).length, 1)
})

const findForeign = () =>
  several.db
    .selectFrom('ssf_streams')
    .select(['id', 'stream_id as uuid'])
    .where('organization_id', '=', '2')
    .executeTakeFirstOrThrow()

test('where only the first organization has streams, the key becomes its own, and nothing else changes', async () => {
  await single.ready
  await fill(single, 2, [1])
  await migrate(single.connection)
  const { app } = await start(single)
  const { keys } = await keySetOf(app)
  assert.deepEqual(
    keys.map((key: { kid: string }) => key.kid),
    [kid],
  )
  const rows = await single.db.selectFrom('signing_keys').select(['organization_id', 'purpose']).execute()
  assert.deepEqual(rows, [{ organization_id: '1', purpose: 'signals' }])
})
