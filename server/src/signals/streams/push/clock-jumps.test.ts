import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { testApp } from '../../../../test/support/app.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { accept, answerWith, openReceiver, outboundOfTests } from '../../../../test/support/receivers.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { dayMs, plusMs } from '../../../base/time.ts'
import { rotateSigningKey } from '../../../keys/rotate-signing-key.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { queueComplianceChanges } from '../queue-signals.ts'
import { resignTokens } from '../resign-tokens.ts'
import { startPush } from './start-push.ts'

// A clock that was ahead for a while, and was put right.

const app = testApp({ outbound: outboundOfTests() })
const make = makeIn(app)
const receiver = await openReceiver()
after(() => receiver.close())

const now = '2026-11-20T11:00:00.000Z'

beforeEach(async () => {
  app.setNow(now)
  await app.reset()
  receiver.answer = accept
  receiver.received.length = 0
})

const organization = () => app.tenant.organizationId

const queue = (deviceIds: readonly string[]) =>
  transact(app.db, (tx) =>
    queueComplianceChanges(
      tx,
      organization(),
      deviceIds.map((deviceId) => ({
        ...{ deviceId, previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' },
        occurredAt: app.now(),
      })),
    ),
  )

const heldUntil = async (): Promise<(string | null)[]> => {
  const rows = await app.db.selectFrom('ssf_stream_deliveries').select('held_until').execute()
  return rows.map(({ held_until }) => held_until)
}
const isDelivered = async () => {
  const rows = await app.db.selectFrom('ssf_stream_events').select('state').execute()
  return rows.length > 0 && rows.every(({ state }) => state === 'delivered')
}

async function failAhead(): Promise<void> {
  await make.stream(organization(), { endpoint_url: receiver.url })
  const devices = await Promise.all(Array.from({ length: 3 }, () => make.device(organization())))
  app.setNow(plusMs(now, 3 * dayMs))
  receiver.answer = answerWith(503)
  await queue(devices.map(({ id }) => id))
}

test('a receiver that failed while the clock was ahead is asked again once it is right', async () => {
  await failAhead()
  const push = startPush(app.streams)
  try {
    await until(60_000, async () =>
      (await heldUntil()).some((moment) => moment !== null && moment > plusMs(now, dayMs)),
    )
    receiver.answer = accept
    app.setNow(plusMs(now, 10_000))
    await until(60_000, isDelivered)
  } finally {
    await push.stop()
  }
})

test('so it is by a process that starts afterwards, and an event that waited for itself', async () => {
  await failAhead()
  const push = startPush(app.streams)
  await until(60_000, async () => (await heldUntil()).some((moment) => moment !== null))
  await push.stop()
  const ahead = plusMs(now, 3 * dayMs)
  await app.db.updateTable('ssf_stream_events').set({ held_until: ahead }).execute()
  receiver.answer = accept
  app.setNow(plusMs(now, 10_000))
  const again = startPush(app.streams)
  try {
    await until(60_000, isDelivered)
  } finally {
    await again.stop()
  }
})

test('a lease that was taken while the clock of the database was ahead is over', async () => {
  await make.stream(organization(), { endpoint_url: receiver.url })
  const { id } = await make.device(organization())
  await queue([id])
  await app.db
    .updateTable('ssf_stream_deliveries')
    .set({ leased_by: '00000000-0000-4000-8000-000000000000', leased_until: plusMs(new Date().toISOString(), dayMs) })
    .execute()
  const push = startPush(app.streams)
  try {
    await until(60_000, isDelivered)
  } finally {
    await push.stop()
  }
})

test('signing continues when the key was made while the clock was ahead, and with the one that is rotated to then', async () => {
  const ring = { organizationId: organization(), purpose: 'signals' } as const
  const sign = async () => (await app.streams.issuer.signer.sign(ring, { jti: '1' }, app.now())).kid
  const signing = await sign()
  app.setNow(plusMs(now, 3 * dayMs))
  const context = () => systemChange(organization(), app.now())
  const { kid } = await rotateSigningKey(
    app.db,
    app.secrets,
    { ring, isEmergency: true, resign: resignTokens, record: recordAudit },
    context(),
  )
  app.streams.issuer.signer.forget(ring)
  assert.equal(await sign(), kid)
  app.setNow(plusMs(now, 1_000))
  const after = await sign()
  assert.ok(![signing, kid].includes(after), 'neither the withdrawn one, nor one that is not active yet')
  const { body } = await app.ask('GET', '/ssf/jwks.json', { key: undefined })
  const published: string[] = body.keys.map((key: { kid: string }) => key.kid)
  assert.ok(published.includes(after) && !published.includes(signing))

  app.setNow(plusMs(now, 20_000))
  const { kid: next, activeFrom } = await rotateSigningKey(
    app.db,
    app.secrets,
    { ring, isEmergency: false, resign: resignTokens, record: recordAudit },
    context(),
  )
  app.setNow(plusMs(activeFrom, 1_000))
  assert.equal(await sign(), next)
})
