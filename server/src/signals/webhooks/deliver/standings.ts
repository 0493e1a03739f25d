import { sql } from 'kysely'
import type { Db, Tx } from '../../../base/db/transact.ts'
import { type Leases, leasesOn, type WorkKey } from '../../../base/jobs/leases.ts'
import type { Trouble } from './endpoint-queue.ts'

/** An endpoint that this process alone delivers to, and how it stood at the last delivery. */
export type LeasedEndpoint = WorkKey & { failingSince: string | null; probeAt: string | null; lastError: string | null }

/** Of two looks for what nobody was notified of; what is due before the next one is claimed now. */
const aheadMs = 6_000
const soon = sql`clock_timestamp() + ${sql.lit(aheadMs)} * interval '1 millisecond'`

/** Leases of endpoints that have something to deliver. */
export const endpointLeases = (db: Db): Leases<LeasedEndpoint> =>
  leasesOn(db, {
    table: sql.table('webhook_standings'),
    idColumn: 'endpoint_id',
    isDue: sql`exists (
      select from webhook_endpoints as endpoint join webhook_deliveries as delivery
        on delivery.organization_id = endpoint.organization_id and delivery.endpoint_id = endpoint.id
      where endpoint.organization_id = head.organization_id and endpoint.id = head.endpoint_id
        and endpoint.disabled_at is null and endpoint.deleted_at is null and delivery.state = 'pending'
        and (head.probe_at <= ${soon} or delivery.next_attempt_at <= ${soon})
    )`,
    columns: sql`, head.failing_since as "failingSince", head.probe_at as "probeAt", head.last_error as "lastError"`,
  })

/** How an endpoint stands after an attempt. */
export type Standing = WorkKey & {
  failingSince: string | null
  probeAt: string | null
  lastError: string | null
  /** Null: nothing was delivered since it was last written. */
  lastDeliveredAt: string | null
}

/** Of an endpoint that another process delivers to by now nothing is written. */
export async function writeStandings(tx: Tx, holder: string, standings: readonly Standing[]): Promise<void> {
  const column = <Name extends keyof Standing>(name: Name) => standings.map((standing) => standing[name])
  await sql`
    update webhook_standings as head
    set failing_since = standing.failing_since, probe_at = standing.probe_at, last_error = standing.last_error,
      last_delivered_at = coalesce(standing.last_delivered_at, head.last_delivered_at)
    from unnest(
      ${column('organizationId')}::bigint[], ${column('id')}::bigint[], ${column('failingSince')}::timestamptz[],
      ${column('probeAt')}::timestamptz[], ${column('lastError')}::text[], ${column('lastDeliveredAt')}::timestamptz[]
    ) as standing (organization_id, id, failing_since, probe_at, last_error, last_delivered_at)
    where head.organization_id = standing.organization_id and head.endpoint_id = standing.id
      and head.leased_by = ${holder}
  `.execute(tx)
}

export const inheritedTrouble = ({ failingSince, probeAt, lastError }: LeasedEndpoint): Trouble | undefined =>
  failingSince === null
    ? undefined
    : {
        sinceMs: Date.parse(failingSince),
        reason: lastError ?? '',
        probeAtMs: probeAt === null ? undefined : Date.parse(probeAt),
      }

/** Whether to try everything that waits at once: the endpoint was enabled, or has another address. */
export const isToRetryNow = ({ failingSince, probeAt }: LeasedEndpoint): boolean =>
  failingSince === null && probeAt !== null
