import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { lockDevices } from './lock-device.ts'
import { settleAuthStates } from './settle-auth-state.ts'

/**
 * Blocks the devices of all organizations whose `will_block_at` has come: the passage of time moves a state with
 * nobody calling. Works in batches of `limit`, a transaction and a context each, and returns how many devices it
 * settled. Several processes may run it at once: each takes the devices that nobody else holds, and what someone
 * holds is found by the next call.
 */
export async function settleDueDevices(db: Db, context: () => ChangeOrigin, limit = 200): Promise<number> {
  let settled = 0
  for (;;) {
    const count = await transact(db, (tx) => settleBatch(tx, context(), limit))
    settled += count
    if (count < limit) return settled
  }
}

async function settleBatch(tx: Tx, context: ChangeOrigin, limit: number): Promise<number> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    select organization_id, id from devices
    where will_block_at <= ${context.now}::timestamptz and deleted_at is null
    order by will_block_at limit ${limit}
    for update skip locked
  `.execute(tx)
  for (const [organizationId, due] of Map.groupBy(rows, (row) => row.organization_id)) {
    const devices = await lockDevices(
      tx,
      organizationId,
      due.map(({ id }) => id),
    )
    await settleAuthStates(tx, devices, context)
  }
  return rows.length
}
