import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import { sql } from 'kysely'
import type { Reader } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { type LastRefusal, readRefusals } from './note-refusal.ts'

export type ConnectionFigures = {
  last_sign_in_at: string | null
  signed_in_count: number
  failed_count: number
  last_failure: { started_at: string; reason: SignInReason | null } | null
  /** The last request that was refused as the application is not set up for the connection. */
  last_refusal: LastRefusal | null
}

export const noFigures: ConnectionFigures = {
  ...{ last_sign_in_at: null, signed_in_count: 0, failed_count: 0, last_failure: null, last_refusal: null },
}

/**
 * What came through each connection, by its identifier: within 30 days the last success, the last failure and the last request that
 * was refused, within 7 days how sign-ins ended.
 */
export async function readFigures(
  reader: Reader,
  organizationId: string,
  now: string,
): Promise<ReadonlyMap<string, ConnectionFigures>> {
  // One that is still open has not failed.
  const isFailed = sql`log.result = 'Fail' and open.auth_log_id is null`
  const week = sql`log.started_at > ${plusMs(now, -7 * dayMs)}::timestamptz`
  const figures = reader
    .selectFrom('auth_logs as log')
    .leftJoin('auth_log_open_sessions as open', (join) =>
      join.onRef('open.organization_id', '=', 'log.organization_id').onRef('open.auth_log_id', '=', 'log.id'),
    )
    .select('log.connection_id')
    .select([
      sql<string | null>`max(log.started_at) filter (where log.result = 'Success')`.as('last_sign_in_at'),
      sql<number>`(count(*) filter (where log.result = 'Success' and ${week}))::int`.as('signed_in_count'),
      sql<number>`(count(*) filter (where ${isFailed} and ${week}))::int`.as('failed_count'),
      sql<string | null>`max(log.started_at) filter (where ${isFailed})`.as('failed_at'),
    ])
    .where('log.organization_id', '=', organizationId)
    .where('log.started_at', '>', plusMs(now, -30 * dayMs))
    .where('log.connection_id', 'is not', null)
    .groupBy('log.connection_id')
  const rows = await reader
    .selectFrom(figures.as('figures'))
    .selectAll('figures')
    .select((build) =>
      build
        .selectFrom('auth_logs')
        .select('failure_reason')
        .where('organization_id', '=', organizationId)
        .whereRef('started_at', '=', 'figures.failed_at')
        .whereRef('connection_id', '=', 'figures.connection_id')
        .where('result', '=', 'Fail')
        .orderBy('id', 'desc')
        .limit(1)
        .as('failure_reason'),
    )
    .execute()
  const refusals = await readRefusals(reader, organizationId, now)
  const read = new Map<string, ConnectionFigures>()
  for (const [id, last_refusal] of refusals) read.set(id, { ...noFigures, last_refusal })
  for (const { connection_id: id, failed_at: startedAt, failure_reason: reason, ...figures } of rows) {
    const last_failure = startedAt === null ? null : { started_at: startedAt, reason }
    read.set(id ?? '', { ...figures, last_failure, last_refusal: refusals.get(id ?? '') ?? null })
  }
  return read
}
