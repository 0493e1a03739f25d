import { setTimeout as pause } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
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
 * as long as the batch took, which leaves half of one connection's time to everyone else.
 */
export async function recomputeCheck(
  db: Db,
  check: CheckOfOrganization,
  context: () => ChangeOrigin,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    const isFinished = await transact(db, (tx) => recomputeBatch(tx, check, context()))
    if (isFinished) return
    await pause(performance.now() - startedAt)
  }
}

async function recomputeBatch(tx: Tx, check: CheckOfOrganization, context: ChangeOrigin): Promise<boolean> {
  const progress = await tx
    .selectFrom('check_recomputations')
    .selectAll()
    .where(inOrganization('check_recomputations', check.organizationId))
    .where('check_id', '=', check.checkId)
    .forUpdate()
    .executeTakeFirst()
  if (!progress || progress.finished_at !== null) return true
  const ids = await nextDevices(tx, check, progress.scope, progress.last_device_id)
  const last = ids.at(-1)
  if (last === undefined) {
    await saveProgress(tx, check, { finished_at: context.now })
    return true
  }
  const devices = await lockDevices(tx, check.organizationId, ids)
  // First, since from then on the change counts for what the devices' owners are told.
  await saveProgress(tx, check, { last_device_id: last, settled_devices: progress.settled_devices + devices.length })
  const decidedFor = { checkId: check.checkId, requestedAt: progress.requested_at }
  await settle(tx, check, devices, progress, { ...context, decidedFor })
  return false
}

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
  { scope, told_before: toldBefore }: Pick<Selectable<Database['check_recomputations']>, 'scope' | 'told_before'>,
  context: ChangeOrigin,
): Promise<void> {
  const configuration = await findTargetingConfiguration(tx, check)
  const deadlines = new Map([[check.checkId, policyOf(configuration, toldBefore ?? undefined)]])
  const whole = scope === 'all_devices' && { targeting: [configuration], queries: [check.checkId] }
  await reconcileDevices(tx, devices, { ...whole, deadlines }, context)
}
