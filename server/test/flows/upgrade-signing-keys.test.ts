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
const derived = testDatabase(await migrationsBefore('keys_of_one_purpose'))
const keptMs = 31 * 86_400_000
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

/** The key of a migration retires at the database's own time. */
const migrateAll = async ({ connection }: Old) => {
  await migrate(connection)
  now = plusMs(new Date().toISOString(), 60_000)
}

const caller = (app: FastifyInstance, key: string) => async (method: 'GET' | 'POST', url: string, payload?: object) => {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() }
}

const keysAt = async (app: FastifyInstance, path: string, host = 'trust.example.test') =>
  createLocalJWKSet((await app.inject({ url: path, headers: { host } })).json())

test('after the upgrade each organization signs with its own key, and what waits verifies as before', async () => {
  await several.ready
  const made = await fill(several, 2, [1, 1, 2])
  await migrateAll(several)
  const { app, keyOf } = await start(several)
  for (const { organizationId, uuid, audience } of made) {
    const call = caller(app, await keyOf(organizationId))
    const path = organizationId === '1' ? '' : '/ssf/2'
    assert.equal((await call('POST', '/ssf_streams/verify', { stream_id: uuid })).status, 204)
    const { sets } = (await call('GET', `/ssf_streams/${uuid}/events`)).body
    const [waiting = '', fresh = '', ...others] = Object.values<string>(sets)
    assert.deepEqual(others, [])
    const rules = { audience, currentDate: new Date(now) }
    const old = await jwtVerify(waiting, await keysAt(app, '/ssf/jwks.json'), { ...rules, issuer: baseUrl })
    assert.equal(old.protectedHeader.kid, kid)
    const own = await keysAt(app, path === '' ? '/ssf/jwks.json' : `${path}/jwks.json`)
    const signed = await jwtVerify(fresh, own, { ...rules, issuer: baseUrl + path })
    assert.notEqual(signed.protectedHeader.kid, kid)
    const { body: record } = await call('GET', `/ssf_streams/${uuid}`)
    assert.deepEqual([record.iss, record.aud], [baseUrl + path, audience])
  }
})

test('a moved stream has another issuer; what was queued before keeps that of before, which is served for 31 days', async () => {
  const { app, keyOf } = await start(several)
  const { stream_id: uuid } = await several.db
    .selectFrom('ssf_streams')
    .select('stream_id')
    .where('organization_id', '=', '2')
    .executeTakeFirstOrThrow()
  const call = caller(app, await keyOf('2'))
  const own = 'https://two.example.test'
  const former = `${baseUrl}/ssf/2`
  const address = { baseUrl: own, commonBaseUrl: baseUrl }
  await transact(several.db, (tx) => setBaseUrl(tx, address, systemChange('2', now)))
  assert.equal((await call('GET', `/ssf_streams/${uuid}`)).body.iss, former, 'an address moves no stream')
  const { body: planned } = await call('GET', `/ssf_streams/${uuid}/issuer`)
  const audience = `${own}/ssf_streams/${uuid}`
  assert.deepEqual(planned.next, { iss: own, jwks_uri: `${own}/ssf/jwks.json`, aud: audience })

  now = plusMs(now, 1_000)
  const moved = await call('POST', `/ssf_streams/${uuid}/move`)
  assert.deepEqual([moved.status, moved.body.iss, moved.body.aud], [200, own, audience])
  assert.equal((await call('POST', `/ssf_streams/${uuid}/move`)).status, 200, 'twice is once')
  await call('POST', '/ssf_streams/verify', { stream_id: uuid })
  const { sets } = (await call('GET', `/ssf_streams/${uuid}/events`)).body
  const tokens = Object.values<string>(sets)
  assert.deepEqual(
    tokens.map((token) => decodeJwt(token).iss),
    [baseUrl, former, own],
  )
  const verify = async (token: string, issuer: string, host?: string) =>
    jwtVerify(token, await keysAt(app, host ? '/ssf/jwks.json' : '/ssf/2/jwks.json', host), {
      issuer,
      currentDate: new Date(now),
    })
  await verify(tokens[1] ?? '', former)
  await verify(tokens[2] ?? '', own, 'two.example.test')
  const { body: after } = await call('GET', `/ssf_streams/${uuid}/issuer`)
  assert.equal(after.next, null)
  assert.deepEqual(after.former, {
    iss: former,
    jwks_uri: `${former}/jwks.json`,
    aud: `${baseUrl}/ssf_streams/${uuid}`,
    verified_until: plusMs(now, keptMs),
  })
  const entries = await several.db
    .selectFrom('audit_logs')
    .select('description')
    .where('organization_id', '=', '2')
    .execute()
  const description = `Moved the stream "Receiver" from the issuer ${former} to ${own}.`
  assert.ok(entries.some((entry) => entry.description === description))

  const statusOf = async () => (await app.inject({ url: '/ssf/2/jwks.json' })).statusCode
  now = plusMs(now, keptMs - 1)
  assert.equal(await statusOf(), 200)
  now = plusMs(now, 1)
  assert.equal(await statusOf(), 404)
  assert.equal((await call('GET', `/ssf_streams/${uuid}/issuer`)).body.former, null)
})

test('the key that was shared stays published for 31 days and signs nothing', async () => {
  const { app } = await start(several)
  const { retired_at } = await several.db
    .selectFrom('signing_keys')
    .select('retired_at')
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow()
  const kids = async () => (await keySetOf(app)).keys.map((key: { kid: string }) => key.kid)
  now = plusMs(retired_at ?? '', keptMs - 1)
  assert.deepEqual([(await kids()).length, (await kids()).includes(kid)], [2, true])
  now = plusMs(now, 1)
  assert.deepEqual([(await kids()).length, (await kids()).includes(kid)], [1, false])
})

test('what waits by a shared key and is not signed yet is signed by the key and issuer of its organization', async () => {
  await derived.ready
  const streams = await fillDerived()
  await migrateAll(derived)
  const { app, keyOf } = await start(derived)
  for (const { organizationId, uuid, issuer } of streams) {
    const { body } = await caller(app, await keyOf(organizationId))('GET', `/ssf_streams/${uuid}/events`)
    const [token = '', ...others] = Object.values<string>(body.sets)
    assert.deepEqual(others, [])
    const host = new URL(issuer).host
    const keys = await keysAt(app, '/ssf/jwks.json', host)
    const audience = `${issuer}/ssf_streams/${uuid}`
    const { protectedHeader } = await jwtVerify(token, keys, { issuer, audience, currentDate: new Date(now) })
    assert.notEqual(protectedHeader.kid, kid)
    const { body: history } = await caller(app, await keyOf(organizationId))('GET', `/ssf_streams/${uuid}/history`)
    assert.equal(history.data.length, 2)
  }
  const rows = await derived.db
    .selectFrom('signing_keys')
    .select(['organization_id', 'purpose'])
    .orderBy('kid')
    .execute()
  assert.ok(rows.every(({ purpose }) => purpose === 'signals'))
  assert.equal(rows.filter(({ organization_id }) => organization_id === '1').length, 2)
})

/** A database of just before: a shared key, an event of two organizations that waits by it, and one that is settled. */
async function fillDerived() {
  const { db } = derived
  const own = 'https://two.example.test'
  await sql`insert into organizations (name, created_at, base_url) values ('One', ${now}, null), ('Two', ${now}, ${own})`.execute(
    db,
  )
  for (const [purpose, id] of [
    ['shared_signals', kid],
    ['openid', 'sign-in'],
  ] as const) {
    const der = privateKey.export({ type: 'pkcs8', format: 'der' })
    await sql`
      insert into signing_keys (organization_id, purpose, kid, sealed_private_key, public_jwk, created_at, active_from)
      values (1, ${purpose}, ${id}, ${secrets.seal(der, ['signing_key', '1', purpose, id])},
        ${JSON.stringify(publicKey.export({ format: 'jwk' }))}::jsonb, ${now}, ${now})`.execute(db)
  }
  const streams = []
  for (const [organizationId, issuer] of [
    ['1', baseUrl],
    ['2', own],
  ] as const) {
    const uuid = randomUUID()
    await sql`
      with stream as (
        insert into ssf_streams (organization_id, stream_id, name, spec_version, delivery_type, audience, events_requested,
          needs_no_poll_token, signing_purpose, token_settings_id, created_at, updated_at)
        values (${organizationId}, ${uuid}, 'Receiver', 'v1_0', 'poll', ${`${baseUrl}/ssf_streams/${uuid}`}, '{}', true,
          'shared_signals', 1, ${now}, ${now}) returning id
      ), head as (
        insert into ssf_stream_deliveries (organization_id, stream_id, last_sequence) select ${organizationId}, id, 1 from stream
      ), settings as (
        insert into ssf_token_settings (organization_id, stream_id, id, issuer, audience, spec_version, device_subject_format)
        select ${organizationId}, id, 1, ${baseUrl}, ${`${baseUrl}/ssf_streams/${uuid}`}, 'v1_0', 'iss_sub' from stream
      ), signal as (
        insert into ssf_signals (organization_id, kind, event, txn, occurred_at)
        values (${organizationId}, 'verification', '{}'::jsonb, 'T', ${now}) returning id
      )
      insert into ssf_stream_events (organization_id, stream_id, signal_id, kind, state, sequence, kid, token_settings_id, queued_at, settled_at)
      select ${organizationId}, stream.id, signal.id, 'verification', state, sequence, ${kid}, 1, ${now}, settled
      from stream, signal, (values ('acknowledged', 1, ${now}::timestamptz), ('pending', null::integer, null)) as one (state, sequence, settled)
    `.execute(db)
    streams.push({ organizationId, uuid, issuer })
  }
  return streams
}

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
