import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { testDatabase } from '../../test/support/database.ts'
import { makeIn, startOfTests } from '../../test/support/make.ts'
import { numberEvents } from '../../test/support/number-events.ts'
import { transact } from '../db/transact.ts'
import { plusMs } from '../issues/rules.ts'
import { openSecrets } from '../secrets/secrets.ts'
import { issueTokens } from './issue-tokens.ts'
import { listPending, type Wanted } from './list-pending.ts'
import { queueComplianceChanges } from './queue-signals.ts'
import { queueStreamSignal } from './queue-stream-signal.ts'
import { ensureSigningKey } from './rotate-signing-key.ts'
import { listPublishedKeys } from './signing-keys.ts'
import { tokenSigner } from './token-signer.ts'

const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
const baseUrl = 'https://trust.example.test'
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

test('a token is kept with its number before anybody has it, and is the same ever after', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id, device.id])
  const pending = await listPending(database.db, [wantedOf(stream)])
  assert.deepEqual(
    pending.map(({ sequence, token }) => [sequence, token]),
    [
      [null, null],
      [null, null],
    ],
  )
  const [one, two] = await Promise.all([issueTokens(issuer(), pending), issueTokens(issuer(), pending)])
  assert.deepEqual(one, two)
  assert.deepEqual(
    one?.map(({ sequence }) => sequence),
    ['1', '2'],
  )
  now = plusMs(startOfTests, 3_600_000)
  const later = await issueTokens(issuer(), pending)
  assert.deepEqual(later, one)
  assert.deepEqual(await issueTokens(issuer(), await listPending(database.db, [wantedOf(stream)])), one)
})

test('what it signs is verified by a library that knows nothing of us', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id])
  const [issued] = await issueTokens(issuer(), await listPending(database.db, [wantedOf(stream)]))
  const keys = createLocalJWKSet({ keys: await listPublishedKeys(database.db, organizationId, now) })
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

test('numbers that were given for another reason stand', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(organizationId, [device.id])
  const pending = await listPending(database.db, [wantedOf(stream)])
  await queue(organizationId, [device.id])
  await numberEvents(database.db, [{ organizationId, streamId: stream.id }])
  const first = await issueTokens(issuer(), pending)
  const rest = await issueTokens(issuer(), await listPending(database.db, [wantedOf(stream)]))
  assert.deepEqual(
    [...first, ...rest.slice(1)].map(({ sequence }) => sequence),
    ['1', '2'],
  )
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
