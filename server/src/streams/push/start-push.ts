import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { nowMsBy } from '../../clock.ts'
import { alarm } from '../../jobs/alarm.ts'
import { batchWriter } from '../../jobs/batch-writer.ts'
import { claimTimes } from '../../jobs/claim-times.ts'
import { repeat } from '../../jobs/repeat.ts'
import { unsealAuthorization } from '../authorization-header.ts'
import { issueTokens } from '../issue-tokens.ts'
import { listPending } from '../list-pending.ts'
import type { StreamKey } from '../number-events.ts'
import type { StreamParts } from '../start-streams.ts'
import { type Delivery, type DeliveryParts, openDelivery, type Written } from './delivery.ts'
import * as leases from './lease-streams.ts'
import type { Destination } from './send-event.ts'
import { writeOutcomes } from './write-outcomes.ts'

export type Push = { stop(): Promise<void> }

const renewEveryMs = 2_000
/** Before the database thinks so, a lease is over here. */
const leaseMarginMs = 1_000
const lookForAbandonedEveryMs = 1_000
/** For what nobody was notified of. */
const lookForAllEveryMs = 5_000
const idleBeforeReleaseMs = 3_000
const stopWithinMs = 5_000
const writeWithinMs = 1_000
const longestSleepMs = 1_000
/** Events that are read and signed together, so that one stream's many do not keep the others' few waiting. */
const mostInRound = 512
const mostStreamsInRound = 256
/** Of all streams together, and of one. */
const mostInMemory = 16_384
const mostWindow = 128
const leastWindow = 16

const nameOf = ({ organizationId, streamId }: StreamKey): string => `${organizationId}/${streamId}`

type Held = { delivery: Delivery; updatedAt: string; busyAtMs: number }

/**
 * Delivers the events of push streams (RFC 8935), together with any number of processes that do the same: each stream
 * is leased by one of them at a time. Wakes when something is queued, or when a receiver is due again.
 */
export function startPush(parts: StreamParts): Push {
  const { connection, log, outbound, signals, issuer, clock } = parts
  const { db } = connection
  const holder = randomUUID()
  const held = new Map<string, Held>()
  const claims = claimTimes()
  const bell = alarm()
  const changed = new Set<string>()
  let isStopping = false
  const nowMs = nowMsBy(clock)
  const report = (what: string) => (error: unknown) => log.error({ err: error }, what)

  const writer = batchWriter<Written>((items) => {
    const standings = new Map(items.map(({ standing }) => [standing, standing()]))
    return writeOutcomes(
      db,
      holder,
      items.map(({ outcome }) => outcome),
      [...standings.values()],
    )
  }, report('What came of deliveries could not be written'))
  const deliveryParts: DeliveryParts = { outbound, writer, log, nowMs, wake: bell.ring }

  const unsubscribe = signals.subscribe((organizationId) => {
    if (organizationId === undefined) return void look('all').catch(report('Streams could not be looked for'))
    changed.add(organizationId)
    claims.ask(organizationId, performance.now())
    bell.ring()
  })

  function destinationOf({ organizationId, streamId, url, sealedAuthorization }: leases.Receiver): Destination {
    const place = { organizationId, streamId }
    const authorization = sealedAuthorization
      ? unsealAuthorization(parts.secrets, sealedAuthorization, place)
      : undefined
    return { url, authorization }
  }

  /** Claims streams and begins to deliver them. */
  async function look(of: readonly string[] | 'all' | 'abandoned'): Promise<void> {
    const validUntilMs = performance.now() + leases.leaseMs - leaseMarginMs
    const leased = await leases.claimStreams(db, holder, of)
    const receivers = new Map((await leases.listReceivers(db, leased)).map((row) => [nameOf(row), row]))
    for (const stream of leased) {
      const receiver = receivers.get(nameOf(stream))
      if (!receiver || held.has(nameOf(stream))) continue
      const delivery = openDelivery(deliveryParts, stream, destinationOf(receiver), validUntilMs)
      held.set(nameOf(stream), { delivery, updatedAt: receiver.updatedAt, busyAtMs: performance.now() })
    }
    if (of === 'all') for (const { delivery } of held.values()) delivery.courier.notice()
    if (leased.length > 0 || of === 'all') bell.ring()
  }

  /** Takes in changes of the streams of these organizations, and that there may be something new for them. */
  async function notice(organizationIds: ReadonlySet<string>): Promise<void> {
    const own = [...held.values()].filter(({ delivery }) => organizationIds.has(delivery.key.organizationId))
    if (own.length === 0) return
    const keys = own.map(({ delivery }) => delivery.key)
    const receivers = new Map((await leases.listReceivers(db, keys)).map((row) => [nameOf(row), row]))
    for (const stream of own) {
      const receiver = receivers.get(nameOf(stream.delivery.key))
      if (!receiver) {
        forget(stream.delivery)
        continue
      }
      if (receiver.updatedAt !== stream.updatedAt) stream.delivery.redirect(destinationOf(receiver))
      stream.updatedAt = receiver.updatedAt
      stream.delivery.courier.notice()
    }
  }

  function forget(delivery: Delivery): void {
    delivery.abandon()
    held.delete(nameOf(delivery.key))
  }

  async function readLedger(): Promise<void> {
    const now = nowMs()
    const window = Math.max(leastWindow, Math.min(mostWindow, Math.floor(mostInMemory / held.size)))
    const asking = []
    for (const stream of held.values()) {
      if (asking.length === mostStreamsInRound) break
      const want = stream.delivery.isValid() ? stream.delivery.courier.want(now, window) : undefined
      if (want) asking.push({ stream, want })
    }
    if (asking.length === 0) return
    const most = Math.max(2, Math.floor(mostInRound / asking.length))
    const wanted = asking.map(({ stream: { delivery }, want }) => {
      want.room = Math.min(want.room, most)
      return { ...delivery.key, limit: want.room, except: want.except, exceptDevices: want.exceptDevices }
    })
    const issued = await issueTokens(issuer, await listPending(db, wanted))
    const byStream = Map.groupBy(issued, nameOf)
    for (const { stream, want } of asking) {
      const name = nameOf(stream.delivery.key)
      if (held.get(name) !== stream) continue
      const events = byStream.get(name) ?? []
      stream.delivery.courier.take(events, want, nowMs())
      if (events.length > 0) stream.busyAtMs = performance.now()
      // Behind the others for the next round.
      held.delete(name)
      held.set(name, stream)
    }
    bell.ring()
  }

  async function round(): Promise<void> {
    const due = claims.takeDue(performance.now())
    const noticed = new Set(changed)
    changed.clear()
    if (due.length > 0) await look(due)
    if (noticed.size > 0) await notice(noticed)
    await readLedger()
    for (const { delivery } of held.values()) delivery.dispatch()
  }

  function sleepMs(): number {
    const wakes = [...held.values()].flatMap(({ delivery }) => delivery.courier.wakeAtMs() ?? [])
    const untilWake = wakes.length === 0 ? longestSleepMs : Math.min(...wakes) - nowMs()
    const untilClaim = claims.nextMs() - performance.now()
    return Math.max(1, Math.min(untilWake, untilClaim, longestSleepMs))
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      try {
        await round()
      } catch (error) {
        report('A round of deliveries failed')(error)
        // Whatever was to be done is done by the next look.
        await pause(500)
        changed.clear()
        await look('all').catch(() => {})
      }
      await bell.sleep(sleepMs())
    }
  }

  async function renew(): Promise<void> {
    const validUntilMs = performance.now() + leases.leaseMs - leaseMarginMs
    const idleSince = performance.now() - idleBeforeReleaseMs
    const all = [...held.values()]
    const idle = all.filter(({ delivery, busyAtMs }) => delivery.courier.isIdle() && busyAtMs < idleSince)
    for (const { delivery } of idle) forget(delivery)
    const kept = all.filter((stream) => !idle.includes(stream)).map(({ delivery }) => delivery)
    const renewed = new Set(
      (
        await leases.renewLeases(
          db,
          holder,
          kept.map(({ key }) => key),
        )
      ).map(nameOf),
    )
    for (const delivery of kept) {
      if (renewed.has(nameOf(delivery.key))) delivery.extend(validUntilMs)
      else forget(delivery)
    }
    await giveBack(idle.map(({ delivery }) => delivery.key))
    bell.ring()
  }

  /** What was queued between the last reading and the release is claimed again by a look at once. */
  async function giveBack(streams: readonly StreamKey[]): Promise<void> {
    await leases.releaseStreams(db, holder, streams)
    for (const { organizationId } of streams) claims.ask(organizationId, performance.now())
  }

  const works = [
    repeat(renewEveryMs, renew, report('Leases of streams could not be renewed')),
    repeat(lookForAbandonedEveryMs, () => look('abandoned'), report('Streams could not be looked for')),
    repeat(lookForAllEveryMs, () => look('all'), report('Streams could not be looked for')),
  ]
  const running = run()

  async function stop(): Promise<void> {
    isStopping = true
    unsubscribe()
    bell.ring()
    await running
    await Promise.all(works.map((work) => work.stop()))
    const deliveries = [...held.values()].map(({ delivery }) => delivery)
    const drained = Promise.all(deliveries.map((delivery) => delivery.drain()))
    await Promise.race([drained, pause(stopWithinMs, undefined, { ref: false })])
    for (const delivery of deliveries) delivery.abandon()
    await Promise.race([drained, pause(writeWithinMs, undefined, { ref: false })])
    writer.close()
    await leases.releaseStreams(
      db,
      holder,
      deliveries.map(({ key }) => key),
    )
  }

  return { stop }
}
