import { randomUUID } from 'node:crypto'
import { nowMsBy } from '../../../base/clock.ts'
import { batchWriter } from '../../../base/jobs/batch-writer.ts'
import type { WorkKey } from '../../../base/jobs/leases.ts'
import { shareRound } from '../../../base/jobs/share-round.ts'
import { startLeasedWork } from '../../../base/jobs/start-leased-work.ts'
import { countDeliveries } from '../../../base/outbound/count-deliveries.ts'
import { unsealAuthorization } from '../authorization-header.ts'
import { issueTokens } from '../issue-tokens.ts'
import { listPending } from '../list-pending.ts'
import type { StreamParts } from '../start-streams.ts'
import type { Want } from './courier.ts'
import { type Delivery, type DeliveryParts, openDelivery, type Written } from './delivery.ts'
import { type LeasedStream, listReceivers, type ReceiverRow, streamLeases } from './list-receivers.ts'
import type { Destination } from './send-event.ts'
import { writeOutcomes } from './write-outcomes.ts'

export type Push = { stop(): Promise<void> }

/** Events of all streams together. */
const maxInMemory = 16_384

const nameOf = ({ organizationId, id }: WorkKey): string => `${organizationId}/${id}`

/**
 * Delivers the events of push streams (RFC 8935), together with any number of processes that do the same: each stream
 * is leased by one of them at a time.
 */
export function startPush(parts: StreamParts): Push {
  const { connection, log, outbound, signals, issuer, clock, secrets } = parts
  const { db } = connection
  const holder = randomUUID()
  const nowMs = nowMsBy(clock)

  const writer = batchWriter<Written>(
    async (items) => {
      const standings = new Map(items.map(({ standing }) => [standing, standing()]))
      const outcomes = items.map(({ outcome }) => outcome)
      await writeOutcomes(db, holder, outcomes, [...standings.values()])
      countDeliveries('push_stream', outcomes)
    },
    (error) => log.error({ err: error }, 'Could not write the outcomes of deliveries'),
  )
  const deliveryParts: DeliveryParts = { outbound, writer, log, nowMs, wake: () => running.wake() }

  function destinationOf({ organizationId, id, url, sealedAuthorization, updatedAt }: ReceiverRow): Destination {
    const place = { organizationId, streamId: id }
    const authorization = sealedAuthorization ? unsealAuthorization(secrets, sealedAuthorization, place) : undefined
    return { url, authorization, updatedAt }
  }

  async function destinationsOf(streams: readonly WorkKey[]): Promise<Map<string, Destination>> {
    const rows = await listReceivers(db, streams)
    return new Map(rows.map((row) => [nameOf(row), destinationOf(row)]))
  }

  async function open(leased: readonly LeasedStream[], validUntilMs: number): Promise<Delivery[]> {
    const destinations = await destinationsOf(leased)
    return leased.flatMap((stream) => {
      const destination = destinations.get(nameOf(stream))
      return destination ? [openDelivery(deliveryParts, stream, destination, validUntilMs)] : []
    })
  }

  /** Takes in changes of the streams; those that are pushed no longer are gone. */
  async function refresh(deliveries: readonly Delivery[]): Promise<Delivery[]> {
    const destinations = await destinationsOf(deliveries.map(({ key }) => key))
    return deliveries.filter((delivery) => {
      const destination = destinations.get(nameOf(delivery.key))
      if (destination) delivery.notice(destination)
      return !destination
    })
  }

  async function read(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    const asking = shareRound<Want, Delivery>(deliveries, maxInMemory)
    if (asking.length === 0) return []
    const wanted = asking.map(({ work: { key }, want }) => {
      const { room: limit, except, exceptDevices } = want
      return { organizationId: key.organizationId, streamId: key.id, limit, except, exceptDevices }
    })
    const issued = await issueTokens(issuer, await listPending(db, wanted))
    const byStream = Map.groupBy(issued, ({ organizationId, streamId: id }) => nameOf({ organizationId, id }))
    for (const { work, want } of asking) work.take(byStream.get(nameOf(work.key)) ?? [], want)
    return asking.map(({ work }) => work)
  }

  const { subscribe } = signals
  const running = startLeasedWork<LeasedStream, Delivery>({
    ...{ name: 'streams', holder, leases: streamLeases(db), open, refresh, read, subscribe, nowMs, log },
  })

  return {
    async stop() {
      await running.stop()
      writer.close()
    },
  }
}
