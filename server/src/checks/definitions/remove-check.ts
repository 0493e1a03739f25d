import { setTimeout as pause } from 'node:timers/promises'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { dropIssuesOfCheck } from '../../compliance/issues/drop-issues-of-check.ts'
import { dropResultsOfCheck } from '../../compliance/targeting/drop-results-of-check.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'

type CheckOfOrganization = { organizationId: string; checkId: string }

const devicesPerBatch = 200
const firstPlace = '0'

/**
 * Removes a check whose deletion was asked for: batch by batch, each in its own transaction, devices lose their result
 * and their issues are resolved and announced; then the issues go, and at last the check. What is removed is the
 * progress, so it continues after a crash where it stopped. Rests between batches as a recomputation does.
 */
export async function removeCheck(
  db: Db,
  check: CheckOfOrganization,
  context: () => ChangeOrigin,
  signal: AbortSignal,
): Promise<void> {
  // Begins behind what was just removed, which the index still holds; the last look is from the start.
  let after = firstPlace
  while (!signal.aborted) {
    const startedAt = performance.now()
    const next = await transact(db, (tx) => removeBatch(tx, check, after, context()))
    if (next === undefined) return
    after = next
    await pause(performance.now() - startedAt)
  }
}

/** Resolves to where the next batch begins; to undefined when nothing is left. */
async function removeBatch(
  tx: Tx,
  check: CheckOfOrganization,
  after: string,
  context: ChangeOrigin,
): Promise<string | undefined> {
  const { organizationId, checkId } = check
  const isAskedFor = await tx
    .selectFrom('checks')
    .select('id')
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .where('deletion_requested_at', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!isAskedFor) return undefined
  const ids = await nextDevices(tx, check, after)
  const last = ids.at(-1)
  if (last !== undefined) {
    await release(tx, check, ids, context)
    return last
  }
  if (after !== firstPlace || (await dropIssuesOfCheck(tx, organizationId, checkId)) > 0) return firstPlace
  await tx.deleteFrom('checks').where(inOrganization('checks', organizationId)).where('id', '=', checkId).execute()
  return undefined
}

async function nextDevices(tx: Tx, { organizationId, checkId }: CheckOfOrganization, after: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('check_results')
    .select('device_id as id')
    .where(inOrganization('check_results', organizationId))
    .where('check_id', '=', checkId)
    .where('device_id', '>', after)
    .orderBy('device_id')
    .limit(devicesPerBatch)
    .execute()
  return rows.map(({ id }) => id)
}

async function release(tx: Tx, check: CheckOfOrganization, ids: readonly string[], context: ChangeOrigin) {
  const { organizationId, checkId } = check
  const devices = await lockDevices(tx, organizationId, ids)
  const nobodys = {
    check_id: checkId,
    type: 'custom',
    platforms: [],
    targeted_groups: [],
    excluded_groups: [],
  } as const
  await reconcileDevices(tx, devices, { targeting: [nobodys] }, context)
  await dropResultsOfCheck(tx, check, ids)
}
