import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { announceEnds } from './announce-ends.ts'
import { overSince } from './rules.ts'

/**
 * Ends the logs of all organizations in which nothing happened for too long, as failures, and announces that. Works in
 * batches of `limit`, a transaction each, and returns how many there were. Several processes may run it at once: a log is
 * ended by whoever takes its open row away, as in `endAuthLog`.
 */
export async function expireAuthLogs(db: Db, context: () => ChangeOrigin, limit = 200): Promise<number> {
  let expired = 0
  for (;;) {
    const count = await transact(db, (tx) => expireBatch(tx, context(), limit))
    expired += count
    if (count < limit) return expired
  }
}

const byLog = (one: Ended, other: Ended): number =>
  Number(BigInt(one.organization_id) - BigInt(other.organization_id)) || Number(BigInt(one.id) - BigInt(other.id))

type Ended = Parameters<typeof announceEnds>[2][number]

async function expireBatch(tx: Tx, context: ChangeOrigin, limit: number): Promise<number> {
  const { rows } = await sql<Ended>`
    with due as (
      select organization_id, auth_log_id from auth_log_open_sessions
      where touched_at <= ${overSince(context.now)}::timestamptz
      order by touched_at limit ${limit}
      for update skip locked
    ), ended as (
      delete from auth_log_open_sessions as open using due
      where open.organization_id = due.organization_id and open.auth_log_id = due.auth_log_id
      returning open.organization_id, open.auth_log_id, open.reason
    )
    update auth_logs set failure_reason = ended.reason from ended
    where auth_logs.organization_id = ended.organization_id and auth_logs.id = ended.auth_log_id
    returning auth_logs.organization_id, auth_logs.id, device_id, device_name, agent_version, person_id,
      browser_name, browser_version, failure_reason
  `.execute(tx)
  await announceEnds(tx, 'failure', rows.toSorted(byLog), context)
  return rows.length
}
