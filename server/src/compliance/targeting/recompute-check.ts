import { setTimeout as pause } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type { Cause, ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { type LockedDevice, lockDevices } from '../../inventory/devices/lock-device.ts'
import { findTargetingConfiguration } from './find-targeting-configuration.ts'
import { reconcileDevices } from './reconcile-devices.ts'
import { policyOf } from './reschedule-device.ts'

type CheckOfOrganization = { organizationId: string; checkId: string }

const devicesPerBatch = 200

/**
 * Decides every touched device again, batch by batch, each in its own transaction with the place it has reached, so
 * that it continues after a crash and starts over when the configuration changes again. Between batches it rests for
 * as long as the batch took, which leaves half of one connection's time to everyone else. Resolves to the causes that it has
 * worked through.
 */
export async function recomputeCheck(
  db: Db,
  check: CheckOfOrganization,
  context: () => ChangeOrigin,
  signal: AbortSignal,
): Promise<string[]> {
  const causes = new Set<string>()
  while (!signal.aborted) {
    const startedAt = performance.now()
    const batch = await transact(db, (tx) => recomputeBatch(tx, check, context()))
    if (!batch) break
    for (const cause of batch) causes.add(cause)
    await pause(performance.now() - startedAt)
  }
  return [...causes]
}

/** Returns the causes of the batch; undefined where nothing was left. */
async function recomputeBatch(
  tx: Tx,
  check: CheckOfOrganization,
  context: ChangeOrigin,
): Promise<string[] | undefined> {
  const progress = await tx
    .selectFrom('check_recomputations')
    .selectAll()
    .where(inOrganization('check_recomputations', check.organizationId))
    .where('check_id', '=', check.checkId)
    .forUpdate()
    .executeTakeFirst()
  if (!progress || progress.finished_at !== null) return undefined
  const ids = await nextDevices(tx, check, progress.scope, progress.last_device_id)
  const last = ids.at(-1)
  if (last === undefined) {
    await saveProgress(tx, check, { finished_at: context.now })
    return undefined
  }
  const devices = await lockDevices(tx, check.organizationId, ids)
  // First, since from then on the change counts for what the devices' owners are told.
  await saveProgress(tx, check, { last_device_id: last, settled_devices: progress.settled_devices + devices.length })
  const cause = causeOf(progress, context)
  await settle(tx, check, devices, progress, { ...context, ...cause, decidedFor: decidedFor(progress) })
  return [...progress.earlier_causes, cause.cause]
}

type Progress = Selectable<Database['check_recomputations']>

/** Of the latest change, which may be later than what the job was queued for. */
const causeOf = ({ cause, request_id: requestId }: Progress, context: Cause): Cause =>
  cause === null ? { cause: context.cause, requestId: context.requestId } : { cause, requestId }

const decidedFor = ({ check_id: checkId, requested_at: requestedAt, earlier_causes: earlierCauses }: Progress) => ({
  checkId,
  requestedAt,
  ...(earlierCauses.length > 0 && { earlierCauses }),
})

async function nextDevices(tx: Tx, check: CheckOfOrganization, scope: string, after: string): Promise<string[]> {
  const rows =
    scope === 'all_devices'
      ? await tx
          .selectFrom('devices')
          .select('id')
          .where(inOrganization('devices', check.organizationId))
          .where('id', '>', after)
          .where('deleted_at', 'is', null)
          .orderBy('id')
          .limit(devicesPerBatch)
          .execute()
      : await tx
          .selectFrom('issues')
          .select('device_id as id')
          .distinct()
          .where(inOrganization('issues', check.organizationId))
          .where('check_id', '=', check.checkId)
          .where('device_id', '>', after)
          .where('resolved_at', 'is', null)
          .orderBy('device_id')
          .limit(devicesPerBatch)
          .execute()
  return rows.map((row) => row.id)
}

async function saveProgress(
  tx: Tx,
  check: CheckOfOrganization,
  progress: { finished_at?: string; last_device_id?: string; settled_devices?: number },
): Promise<void> {
  await tx
    .updateTable('check_recomputations')
    .set(progress)
    .where(inOrganization('check_recomputations', check.organizationId))
    .where('check_id', '=', check.checkId)
    .execute()
}

async function settle(
  tx: Tx,
  check: CheckOfOrganization,
  devices: readonly LockedDevice[],
  { scope, told_before: toldBefore }: Progress,
  context: ChangeOrigin,
): Promise<void> {
  const configuration = await findTargetingConfiguration(tx, check)
  const deadlines = new Map([[check.checkId, policyOf(configuration, toldBefore ?? undefined)]])
  const whole = scope === 'all_devices' && { targeting: [configuration], queries: [check.checkId] }
  await reconcileDevices(tx, devices, { ...whole, deadlines }, context)
}
