import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { plusMs } from '../../base/time.ts'
import { keyPurposes } from '../../keys/key-purposes.ts'
import { ensureSigningKey, rotateSigningKey } from '../../keys/rotate-signing-key.ts'
import { publishedSet } from '../../keys/signing-keys.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { issueTokens } from './issue-tokens.ts'
import { listPending, type Wanted } from './list-pending.ts'
import { queueComplianceChanges } from './queue-signals.ts'
import { queueStreamSignal } from './queue-stream-signal.ts'
import { resignTokens } from './resign-tokens.ts'
import { noteEveryTokenSettings, noteTokenSettings } from './token-settings.ts'
import { tokenSigner } from './token-signer.ts'

const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
const baseUrl = 'https://muster.test'
let now = startOfTests
let organizationId: string
const issuer = () => ({ db: database.db, signer: tokenSigner(database.db, secrets), baseUrl, clock: () => now })

beforeEach(async () => {
  await database.ready
  await database.reset()
  now = startOfTests
  organizationId = (await make.organization()).id
  await ensureSigningKey(database.db, secrets, { organizationId, purpose: 'signals' }, now)
})

const wantedOf = (stream: { organization_id: string; id: string }, limit = 10): Wanted => ({
  organizationId: stream.organization_id,
  streamId: stream.id,
  limit,
  except: [],
  exceptDevices: [],
})

async function queue(organizationId: string, deviceIds: readonly string[]): Promise<void> {
  const change = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
  const changes = deviceIds.map((deviceId) => ({ deviceId, occurredAt: now, ...change }))
  await transact(database.db, (tx) => queueComplianceChanges(tx, organizationId, changes))
}

const tokensOf = async (...streams: Parameters<typeof wantedOf>[0][]) => {
  const issued = await issueTokens(
    issuer(),
    await listPending(
      database.db,
      streams.map((stream) => wantedOf(stream)),
    ),
  )
  return new Map(issued.map(({ jti, token }) => [jti, token]))
}
const ledgerOf = () =>
  database.db.selectFrom('ssf_stream_events').select(['jti', 'sequence', 'token', 'kid']).orderBy('id').execute()

test('a token follows from what was fixed at its queueing, is not kept, and is the same of every process', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id, device.id])
  const before = await rowVersions(database.db)
  const first = await tokensOf(stream)
  now = plusMs(startOfTests, 3_600_000)
  assert.deepEqual(await tokensOf(stream), first)
  assert.equal(first.size, 2)
  assert.deepEqual(await rowVersions(database.db), before, 'nothing is written before a receiver has answered')
  assert.ok((await ledgerOf()).every(({ token, kid }) => token === null && kid !== null))
})

test('between two times that an event is handed out everything may change, and its bytes do not', async () => {
  const stream = await make.stream(organizationId, { endpoint_url: 'https://receiver.example/events' })
  const owner = await make.person(organizationId, { email: 'ana@acme.example' })
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  await queue(organizationId, [device.id])
  const first = await tokensOf(stream)
  const place = { organizationId, streamId: stream.id }
  const changed = {
    audience: 'https://another.example',
    device_subject_format: 'opaque',
    spec_version: 'draft',
    issuer: 'https://acme.example',
    moved_at: plusMs(now, 1_000),
  } as const
  await database.db.updateTable('ssf_streams').set(changed).where('id', '=', stream.id).execute()
  await transact(database.db, (tx) => noteTokenSettings(tx, place, 'https://moved.example'))
  await noteEveryTokenSettings(database.db, 'https://moved.example')
  await database.db.updateTable('people').set({ email: 'ana.ruiz@acme.example' }).execute()
  const ring = { organizationId, purpose: 'signals' } as const
  const { activeFrom } = await rotateSigningKey(
    database.db,
    secrets,
    { ring, isEmergency: false, resign: resignTokens, record: recordAudit },
    systemChange(organizationId, now),
  )
  now = plusMs(activeFrom, 1_000)
  assert.deepEqual(await tokensOf(stream), first)

  await queue(organizationId, [device.id])
  const [, second] = (await tokensOf(stream)).values()
  const { payload, protectedHeader } = await jwtVerify(
    second ?? '',
    createLocalJWKSet({ keys: await publishedSet(database.db, { organizationId, purpose: 'signals' }, now) }),
    { currentDate: new Date(now) },
  )
  assert.deepEqual([payload.iss, payload.aud], ['https://acme.example', 'https://another.example'])
  assert.notEqual(protectedHeader.kid, (await ledgerOf())[0]?.kid)
})

test('what a withdrawn key was to sign is signed by another, also when it is committed after the withdrawal', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id, device.id])
  const old = await tokensOf(stream)
  const [{ kid: withdrawn = null } = {}] = await ledgerOf()
  const ring = { organizationId, purpose: 'signals' } as const
  const rotated = await rotateSigningKey(
    database.db,
    secrets,
    { ring, isEmergency: true, resign: resignTokens, record: recordAudit },
    systemChange(organizationId, now),
  )
  assert.deepEqual([rotated.withdrawn, rotated.resignedCount], [[withdrawn], 2])
  // Whoever queued it had seen the key before.
  await queue(organizationId, [device.id])
  await database.db.updateTable('ssf_stream_events').set({ kid: withdrawn }).where('kid', 'is not', null).execute()
  const again = await tokensOf(stream)
  assert.equal(again.size, 3)
  for (const [jti, token] of again) {
    assert.equal(decodeProtectedHeader(token).kid, rotated.kid)
    if (old.has(jti)) assert.deepEqual(decodeJwt(token), decodeJwt(old.get(jti) ?? ''))
  }
  assert.deepEqual(await tokensOf(stream), again)
})

test('an event whose key is published no more is signed by the present one, and keeps that token', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id])
  const [[jti = '', old = ''] = []] = await tokensOf(stream)
  const ring = { organizationId, purpose: 'signals' } as const
  const rotation = { ring, isEmergency: false, resign: resignTokens, record: recordAudit }
  const { kid, activeFrom } = await rotateSigningKey(database.db, secrets, rotation, systemChange(organizationId, now))
  now = plusMs(activeFrom, keyPurposes.signals.keptMs)
  const again = await tokensOf(stream)
  assert.deepEqual([...again.keys()], [jti])
  assert.equal(decodeProtectedHeader(again.get(jti) ?? '').kid, kid)
  assert.deepEqual(decodeJwt(again.get(jti) ?? ''), decodeJwt(old))
  assert.equal((await ledgerOf())[0]?.token, again.get(jti))
})

test('what was queued before there was a key is signed by the first one, and of two processes both have one token', async () => {
  await database.db.deleteFrom('signing_keys').execute()
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id, device.id])
  const [one, two] = await Promise.all([tokensOf(stream), tokensOf(stream)])
  assert.deepEqual(one, two)
  assert.equal(one?.size, 2)
  now = plusMs(startOfTests, 3_600_000)
  assert.deepEqual(await tokensOf(stream), one)
})

test('what it signs is verified by a library that knows nothing of us', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id])
  const [issued] = await issueTokens(issuer(), await listPending(database.db, [wantedOf(stream)]))
  const keys = createLocalJWKSet({ keys: await publishedSet(database.db, { organizationId, purpose: 'signals' }, now) })
  const { payload, protectedHeader } = await jwtVerify(issued?.token ?? '', keys, {
    issuer: baseUrl,
    audience: `${baseUrl}/ssf_streams/${stream.stream_id}`,
    typ: 'secevent+jwt',
    algorithms: ['RS256'],
    currentDate: new Date(now),
  })
  assert.equal(payload.jti, issued?.jti)
  assert.equal(protectedHeader.alg, 'RS256')
})

test('of a stream that stands still only its own news is pending, also behind many others', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(
    organizationId,
    Array.from({ length: 5 }, () => device.id),
  )
  const own = { organizationId, streamId: stream.id, event: {}, txn: 'T', now }
  await transact(database.db, async (tx) => {
    await queueStreamSignal(tx, { ...own, kind: 'verification' })
    await queueStreamSignal(tx, { ...own, kind: 'stream_updated' })
  })
  const kinds = async (limit: number) =>
    (await listPending(database.db, [wantedOf(stream, limit)])).map(({ kind }) => kind)
  assert.deepEqual(await kinds(2), ['compliance_change', 'compliance_change'])
  for (const status of ['paused', 'disabled'] as const) {
    await database.db.updateTable('ssf_streams').set({ status }).execute()
    assert.deepEqual(await kinds(2), ['stream_updated'], status)
  }
})

test('events that are held already and devices that wait are left out, of each stream its own', async () => {
  const one = await make.stream(organizationId)
  const two = await make.stream(organizationId)
  const [ada, bob] = [await make.device(organizationId), await make.device(organizationId)]
  await queue(organizationId, [ada.id, bob.id, ada.id])
  const [first] = await listPending(database.db, [wantedOf(one)])
  const rows = await listPending(database.db, [
    { ...wantedOf(one), except: [first?.id ?? ''] },
    { ...wantedOf(two), exceptDevices: [ada.id], limit: 1 },
  ])
  assert.deepEqual(
    rows.map(({ streamId, deviceId }) => [streamId, deviceId]),
    [
      [one.id, bob.id],
      [one.id, ada.id],
      [two.id, bob.id],
    ],
  )
})
