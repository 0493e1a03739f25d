import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extent } from '../../../../test/support/soak.ts'
import type { IssuedEvent } from '../issue-tokens.ts'
import { type Courier, openCourier } from './courier.ts'
import type { Verdict } from './judge-answer.ts'

const accepted: Verdict = { kind: 'accepted' }
const held: Verdict = { kind: 'held', reason: 'The receiver answered 503', retryAfterMs: 0 }
const rejected: Verdict = { kind: 'rejected', err: 'invalid_request', description: '' }

const eventOf = (id: number, deviceId: string | null, members: Partial<IssuedEvent> = {}): IssuedEvent => ({
  organizationId: '1',
  streamId: '2',
  id: String(id),
  jti: `jti-${id}`,
  deviceId,
  sequence: String(id),
  token: `token-${id}`,
  kid: null,
  isKeyGone: true,
  keyRetiredAt: null,
  attempts: 0,
  heldUntil: null,
  queuedAt: '2026-11-20T10:00:00.000Z',
  kind: 'compliance_change',
  event: {},
  userEmail: null,
  txn: 'T',
  streamUuid: '5e2b6c1f-0e43-4b0b-9d61-7a1c3f3e2d10',
  specVersion: 'v1_0',
  deviceSubjectFormat: 'iss_sub',
  audience: null,
  issuedAt: null,
  issuer: '',
  ...members,
})

/** What the ledger answers. */
function fill(courier: Courier, ledger: readonly IssuedEvent[], nowMs: number, window = 64): void {
  const want = courier.want(nowMs, window)
  if (!want) return
  const rows = ledger.filter(
    ({ id, deviceId }) => !want.except.includes(id) && !(deviceId && want.exceptDevices.includes(deviceId)),
  )
  courier.take(rows.slice(0, want.room), want, nowMs)
}

const takeAll = (courier: Courier, nowMs: number): IssuedEvent[] => {
  const taken: IssuedEvent[] = []
  for (let event = courier.next(nowMs); event; event = courier.next(nowMs)) taken.push(event)
  return taken
}
const ids = (events: readonly IssuedEvent[]) => events.map(({ id }) => id)

test('events of a device go one after the other, those of others beside them', () => {
  const courier = openCourier()
  fill(courier, [eventOf(1, 'a'), eventOf(2, 'a'), eventOf(3, 'b')], 0)
  const [first, other] = takeAll(courier, 0)
  assert.ok(first && other)
  assert.deepEqual(ids([first, other]), ['1', '3'])
  courier.answered(first, accepted, 0, 1)
  assert.deepEqual(takeAll(courier, 1), [], 'not before the ledger knows')
  courier.written(first, accepted)
  assert.deepEqual(ids(takeAll(courier, 1)), ['2'])
})

test('a receiver has at most eight requests at a time', () => {
  const courier = openCourier()
  fill(
    courier,
    Array.from({ length: 20 }, (_, index) => eventOf(index, `d${index}`)),
    0,
  )
  assert.equal(takeAll(courier, 0).length, 8)
})

test('while the ledger cannot be written, no more than 128 events are sent', () => {
  const courier = openCourier()
  fill(
    courier,
    Array.from({ length: 200 }, (_, index) => eventOf(index, `d${index}`)),
    0,
    256,
  )
  const sent: IssuedEvent[] = []
  for (let taken = takeAll(courier, 0); taken.length > 0; taken = takeAll(courier, 0)) {
    for (const event of taken) courier.answered(event, accepted, 0, 1)
    sent.push(...taken)
  }
  assert.equal(sent.length, 128)
  for (const event of sent.slice(0, 3)) courier.written(event, accepted)
  assert.equal(takeAll(courier, 1).length, 3)
})

test('a failing receiver is left alone longer each time, up to a minute, and probed with one event', () => {
  const courier = openCourier({ random: () => 0.999_999 })
  const ledger = Array.from({ length: 12 }, (_, index) => eventOf(index + 1, `d${index}`))
  fill(courier, ledger, 0)
  for (const event of takeAll(courier, 0)) {
    courier.answered(event, held, 0, 10)
    courier.written(event, held)
  }
  const waits: number[] = []
  const probed = new Set<string>()
  let now = 10
  for (let count = 0; count < 9; count += 1) {
    const untilMs = courier.hold()?.untilMs ?? 0
    waits.push(Math.round((untilMs - now) / 1_000))
    assert.deepEqual(takeAll(courier, untilMs - 1), [])
    now = untilMs
    fill(courier, ledger, now)
    const [probe, ...more] = takeAll(courier, now)
    assert.ok(probe && more.length === 0)
    probed.add(probe.id)
    courier.answered(probe, held, now, now)
    courier.written(probe, held)
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60])
  assert.ok(probed.size >= 8, 'probes take turns over the devices')
})

test('Retry-After lengthens the wait', () => {
  const courier = openCourier()
  fill(courier, [eventOf(1, 'a')], 0)
  const [event] = takeAll(courier, 0)
  assert.ok(event)
  courier.answered(event, { ...held, retryAfterMs: 90_000 }, 0, 0)
  assert.equal(courier.hold()?.untilMs, 90_000)
})

test('once another event gets through, only the failing device waits', () => {
  const courier = openCourier({ random: () => 0 })
  const ledger = [eventOf(1, 'bad'), eventOf(2, 'bad'), eventOf(3, 'good'), eventOf(4, 'good')]
  fill(courier, ledger, 0)
  const [bad, good] = takeAll(courier, 0)
  assert.ok(bad && good)
  courier.answered(bad, held, 0, 5)
  assert.ok(courier.hold())
  courier.answered(good, accepted, 0, 6)
  assert.equal(courier.hold(), undefined)
  courier.written(bad, held)
  courier.written(good, accepted)
  assert.deepEqual(ids(takeAll(courier, 7)), ['4'])
  const want = courier.want(7, 64)
  assert.deepEqual(want?.exceptDevices, ['bad'])
  const rest = ledger.filter(({ deviceId }) => deviceId === 'bad')
  fill(courier, rest, 7)
  assert.deepEqual(takeAll(courier, 7), [])
  fill(courier, rest, 5_000)
  assert.deepEqual(ids(takeAll(courier, 5_000)), ['1'])
})

test('an event that fails while the receiver takes others says until when it waits, longer each time', () => {
  const courier = openCourier({ random: () => 0.999_999 })
  let now = 0
  const waits: number[] = []
  for (let round = 0; round < 8; round += 1) {
    courier.notice()
    fill(courier, [eventOf(1, 'bad'), eventOf(100 + round, `good${round}`)], now)
    const taken = takeAll(courier, now)
    const good = taken.find(({ id }) => id !== '1')
    const bad = taken.find(({ id }) => id === '1')
    assert.ok(good && bad)
    courier.answered(good, accepted, now, now + 1)
    const untilMs = courier.answered(bad, held, now, now + 2) ?? 0
    for (const event of taken) courier.written(event, event.id === '1' ? held : accepted)
    waits.push(Math.round((untilMs - now - 2) / 1_000))
    now = untilMs
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60])
})

test('news of the stream waits for nobody, and a test that someone else delivers keeps no other event waiting', () => {
  const courier = openCourier()
  const until = new Date(60_000).toISOString()
  fill(
    courier,
    [
      eventOf(1, 'a', { kind: 'test', heldUntil: until }),
      eventOf(2, 'a'),
      eventOf(3, null, { kind: 'verification' }),
      eventOf(4, null, { kind: 'stream_updated' }),
    ],
    0,
  )
  assert.deepEqual(ids(takeAll(courier, 0)), ['2', '3', '4'])
  assert.equal(courier.wakeAtMs(), 60_000)
})

test('what was read before events were dropped is not taken', () => {
  const courier = openCourier()
  fill(courier, [eventOf(1, 'a')], 0)
  courier.notice()
  const want = courier.want(0, 64)
  assert.ok(want)
  courier.clear()
  courier.take([eventOf(2, 'a')], want, 0)
  assert.deepEqual(takeAll(courier, 0), [])
  fill(courier, [eventOf(1, 'a'), eventOf(2, 'a')], 0)
  assert.deepEqual(ids(takeAll(courier, 0)), ['1'])
})

type Step = { device: number; verdict: Verdict; pauseMs: number }

test('whatever a receiver answers, everything arrives once and in the order of each device', () => {
  const step = fc.record<Step>({
    device: fc.integer({ min: 0, max: 4 }),
    verdict: fc.constantFrom(accepted, accepted, held, rejected),
    pauseMs: fc.integer({ min: 0, max: 3_000 }),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 150 }), fc.integer({ min: 1, max: 6 }), (steps, lag) => {
      assert.deepEqual(...play(steps, lag))
    }),
    { numRuns: Number(process.env['MUSTER_FUZZ_RUNS'] ?? extent(300, 30_000)) },
  )
})

/** Plays answers in the order given, up to `lag` of them late; then a receiver that accepts everything. */
function play(steps: readonly Step[], lag: number): [arrived: object, queued: object] {
  const courier = openCourier()
  const ledger = steps.map(({ device }, index) => eventOf(index + 1, `d${device}`))
  const queued = Object.groupBy(ids(ledger), (id) => ledger[Number(id) - 1]?.deviceId ?? '')
  const arrived: string[] = []
  const flying: { event: IssuedEvent; startedAtMs: number }[] = []
  let [now, count] = [0, 0]
  const land = (verdict: Verdict) => {
    const flight = flying.shift()
    if (!flight) return
    courier.answered(flight.event, verdict, flight.startedAtMs, now)
    if (verdict.kind !== 'held') {
      arrived.push(flight.event.id)
      ledger.splice(ledger.indexOf(flight.event), 1)
    }
    courier.written(flight.event, verdict)
  }
  while (ledger.length > 0) {
    count += 1
    assert.ok(count < 20_000, 'it comes to an end')
    const { verdict, pauseMs } = steps[count] ?? { verdict: accepted, pauseMs: 1_000 }
    now += pauseMs
    fill(courier, ledger, now)
    for (const event of takeAll(courier, now)) {
      assert.ok(!flying.some((flight) => flight.event.deviceId === event.deviceId), 'one of a device at a time')
      flying.push({ event, startedAtMs: now })
    }
    if (flying.length >= lag || count % 3 === 0) land(verdict)
  }
  return [Object.groupBy(arrived, (id) => `d${steps[Number(id) - 1]?.device}`), queued]
}
