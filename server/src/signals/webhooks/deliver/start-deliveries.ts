import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, nowMsBy } from '../../../base/clock.ts'
import type { Connection } from '../../../base/db/connect.ts'
import { transact } from '../../../base/db/transact.ts'
import { batchWriter } from '../../../base/jobs/batch-writer.ts'
import type { WorkKey } from '../../../base/jobs/leases.ts'
import { shareRound } from '../../../base/jobs/share-round.ts'
import { startLeasedWork } from '../../../base/jobs/start-leased-work.ts'
import { countDeliveries } from '../../../base/outbound/count-deliveries.ts'
import type { Outbound } from '../../../base/outbound/outbound.ts'
import type { Secrets } from '../../../base/secrets/secrets.ts'
import { endImpossibleWaits } from '../../webhook-ledger/end-impossible-waits.ts'
import { webhookChannel } from '../../webhook-ledger/queue-webhooks.ts'
import { type AttemptOutcome, writeAttempts } from '../../webhook-ledger/write-attempts.ts'
import { destinationOf, type EndpointRow, listEndpoints } from './destinations.ts'
import type { Want } from './endpoint-queue.ts'
import { type EndpointParts, type EndpointWork, openEndpointWork, type Written } from './endpoint-work.ts'
import { giveUpEndpoint } from './give-up-endpoint.ts'
import { listWaiting } from './list-waiting.ts'
import { endpointLeases, type LeasedEndpoint, writeStandings } from './standings.ts'

export type WebhookParts = { connection: Connection; secrets: Secrets; clock: Clock; log: Logger; outbound: Outbound }

export type Deliveries = { stop(): Promise<void> }

/** Deliveries of all endpoints together. */
const maxInMemory = 8_192

const nameOf = ({ organizationId, id }: WorkKey): string => `${organizationId}/${id}`

/**
 * Delivers webhooks, together with any number of processes that do the same: each endpoint is leased by one of them at
 * a time.
 */
export async function startDeliveries({
  connection,
  secrets,
  clock,
  log,
  outbound,
}: WebhookParts): Promise<Deliveries> {
  const { db } = connection
  const holder = randomUUID()
  const nowMs = nowMsBy(clock)
  const subscribers = new Set<(organizationId: string | undefined) => void>()
  const tell = (organizationId: string | undefined) => {
    for (const subscriber of subscribers) subscriber(organizationId)
  }
  const unlisten = await connection.listen(webhookChannel, tell, () => tell(undefined))

  async function write(items: readonly Written[]): Promise<void> {
    const outcomes = items.map(({ outcome }) => outcome)
    await writeAll(items, outcomes)
    countDeliveries('webhook', outcomes)
  }

  async function writeAll(items: readonly Written[], outcomes: readonly AttemptOutcome[]): Promise<void> {
    const standings = [...new Set(items.map(({ standing }) => standing))].flatMap((standing) => standing() ?? [])
    if (standings.length === 0) return writeAttempts(db, outcomes)
    await transact(db, async (tx) => {
      await writeAttempts(tx, outcomes)
      await writeStandings(tx, holder, standings)
    })
  }

  const writer = batchWriter<Written>(write, (error) =>
    log.error({ err: error }, 'Could not write the outcomes of webhooks'),
  )

  function giveUp(key: WorkKey, why: 'gone' | 'failing'): void {
    log.warn({ organization_id: key.organizationId, endpoint_id: key.id, why }, 'A webhook endpoint is disabled')
    transact(db, (tx) => giveUpEndpoint(tx, key, why, clock()))
      .then(() => tell(key.organizationId))
      .catch((error) => log.error({ err: error }, 'Could not disable a webhook endpoint'))
  }

  const parts: EndpointParts = { outbound, writer, log, nowMs, giveUp, wake: () => running.wake() }

  async function rowsOf(keys: readonly WorkKey[]): Promise<Map<string, EndpointRow>> {
    return new Map((await listEndpoints(db, keys)).map((row) => [nameOf(row), row]))
  }

  async function open(leased: readonly LeasedEndpoint[], validUntilMs: number): Promise<EndpointWork[]> {
    const rows = await rowsOf(leased)
    return leased.flatMap((endpoint) => {
      const row = rows.get(nameOf(endpoint))
      return row ? [openEndpointWork(parts, endpoint, destinationOf(secrets, row), validUntilMs)] : []
    })
  }

  /** Takes in changes of the endpoints; those that are delivered to no longer are gone. */
  async function refresh(works: readonly EndpointWork[]): Promise<EndpointWork[]> {
    const rows = await rowsOf(works.map(({ key }) => key))
    return works.filter((work) => {
      const row = rows.get(nameOf(work.key))
      if (row) work.notice(row.updatedAt, () => destinationOf(secrets, row))
      return !row
    })
  }

  async function read(works: readonly EndpointWork[]): Promise<readonly EndpointWork[]> {
    const asking = shareRound<Want, EndpointWork>(works, maxInMemory)
    if (asking.length === 0) return []
    const found = await listWaiting(
      db,
      clock(),
      asking.map(({ work: { key }, want }) => ({ key, want })),
    )
    for (const { work, want } of asking) {
      work.take(found.get(work.key.id) ?? { waiting: [], nextDueMs: undefined }, want)
    }
    return asking.map(({ work }) => work)
  }

  // While no deliverer ran, and when it notices: nobody else sees a clock being put right.
  const onClockPutBack = () => endImpossibleWaits(db, clock())
  await onClockPutBack()
  const running = startLeasedWork<LeasedEndpoint, EndpointWork>({
    ...{ name: 'webhooks', holder, leases: endpointLeases(db), open, refresh, read, nowMs, onClockPutBack, log },
    subscribe: (onNews) => {
      subscribers.add(onNews)
      return () => subscribers.delete(onNews)
    },
  })

  return {
    async stop() {
      await running.stop()
      writer.close()
      await unlisten()
    },
  }
}
