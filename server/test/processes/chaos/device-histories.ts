import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Db, transact } from '../../../src/base/db/transact.ts'
import { queueComplianceChanges } from '../../../src/signals/streams/queue-signals.ts'
import { queueNamedChanges } from '../hook-place.ts'
import type { Seeded } from './seeded.ts'

type Parts = { db: Db; organizationId: string; chance: Seeded; isOver: () => boolean }

export const createHistories = async (db: Db): Promise<void> => {
  await sql`
    create table chaos_histories as select id as device_id, 0 as steps from devices;
  `.execute(db)
  await sql`alter table chaos_histories add primary key (device_id)`.execute(db)
}

/** Change so often that several of their changes wait at a time, which is when an order could be lost. */
const busyDevices = 25

/** Changes devices at random, some at a time, each in the transaction that takes its history a step further. */
export async function changeDevices({ db, organizationId, chance, isOver }: Parts, deviceIds: readonly string[]) {
  let failed = 0
  const busy = deviceIds.slice(0, busyDevices)
  while (!isOver()) {
    const changed = new Set(
      Array.from({ length: chance.between(1, 20) }, () => chance.pick(chance.isLikely(0.6) ? busy : deviceIds)),
    )
    // Whether a commit whose answer was cut took place is read from the histories in the end.
    await step(db, organizationId, [...changed]).catch(() => {
      failed += 1
    })
    await pause(chance.between(100, 500))
  }
  return { failed }
}

const step = (db: Db, organizationId: string, deviceIds: readonly string[]): Promise<void> =>
  transact(db, async (tx) => {
    // In one order, so that two that change the same devices do not lock each other out.
    const { rows } = await sql<{ deviceId: string; steps: number }>`
      with locked as (
        select device_id from chaos_histories where device_id = any(${deviceIds}::bigint[]) order by device_id for update
      )
      update chaos_histories as history set steps = history.steps + 1 from locked
      where history.device_id = locked.device_id returning history.device_id as "deviceId", history.steps
    `.execute(tx)
    const changes = rows.map(({ deviceId, steps }) => ({
      deviceId,
      previous: steps % 2 === 1 ? ('compliant' as const) : ('not-compliant' as const),
      current: steps % 2 === 1 ? ('not-compliant' as const) : ('compliant' as const),
      initiator: 'policy' as const,
      txn: txnOf(deviceId, steps),
      occurredAt: new Date().toISOString(),
    }))
    await queueComplianceChanges(tx, organizationId, changes)
    const named = changes.map(({ deviceId, txn }) => ({ deviceId, name: txn }))
    await queueNamedChanges(tx, organizationId, named)
  })

export const txnOf = (deviceId: string, step: number): string => `${deviceId}-${step}`

/** How many steps each device has taken. */
export async function readHistories(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ deviceId: string; steps: number }>`
    select device_id as "deviceId", steps from chaos_histories where steps > 0`.execute(db)
  return new Map(rows.map(({ deviceId, steps }) => [deviceId, steps]))
}
