import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { refreshAll } from '../../compliance/results/refresh-failing.ts'
import { requestRefresh } from '../../compliance/results/request-refresh.ts'

type Place = { organizationId: string; deviceId: string }

const answerLimitMs = 3_000

/** Has every check of a device run at its agent's next contact. */
export const checkAllAgain = (db: Db, { organizationId, deviceId }: Place, now: string): Promise<unknown> =>
  transact(db, (tx) => refreshAll(tx, { organizationId, deviceIds: [deviceId], now }))

/** Has one check of a device run at its agent's next contact. */
export const checkAgain = (db: Db, place: Place & { checkId: string }, now: string): Promise<void> =>
  transact(db, (tx) => requestRefresh(tx, { ...place, now }))

/** Resolves when the check has run, or when it takes too long: the result of before counts then. */
export async function untilChecked(
  db: Db,
  { organizationId, deviceId, checkId }: Place & { checkId: string },
  clock: Clock,
): Promise<void> {
  const endsAtMs = Date.parse(clock()) + answerLimitMs
  while (Date.parse(clock()) < endsAtMs) {
    const waiting = await db
      .selectFrom('check_refreshes')
      .select('check_id')
      .where(inOrganization('check_refreshes', organizationId))
      .where('device_id', '=', deviceId)
      .where('check_id', '=', checkId)
      .executeTakeFirst()
    if (!waiting) return
    await sleep(20)
  }
}
