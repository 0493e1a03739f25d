import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { type CheckOnDevice, getResultOnDevice } from '../standing/result-on-device.ts'
import { reconcileDevices } from '../targeting/reconcile-devices.ts'

type Snooze = Omit<CheckOnDevice, 'organizationId'>

const snoozeMs = dayMs
const snoozeAgainAfterMs = 7 * dayMs

/**
 * Puts the issues of a check on a device off for 24 hours: until then they do not block, also where they did. Once in
 * seven days. Returns the end of it. Fails with not_found, snooze_disallowed, already_snoozed, and with invalid where
 * there is no issue to put off.
 */
export async function snoozeCheck(tx: Tx, { deviceId, checkId }: Snooze, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  const place = { organizationId, deviceId, checkId }
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const result = await getResultOnDevice(tx, place)
  if (result.snooze_disallowed) fail('snooze_disallowed')
  if (result.snoozed_at !== null && plusMs(result.snoozed_at, snoozeAgainAfterMs) > now) fail('already_snoozed')
  if (!(await hasIssue(tx, place))) {
    fail('invalid', { errors: [{ field: 'check_id', message: 'has no issue on the device that could be put off' }] })
  }
  const snoozedUntil = plusMs(now, snoozeMs)
  await tx
    .updateTable('check_results')
    .set({ snoozed_at: now, snoozed_until: snoozedUntil })
    .where(inOrganization('check_results', organizationId))
    .where('device_id', '=', deviceId)
    .where('check_id', '=', checkId)
    .execute()
  await reconcileDevices(tx, [device], { deadlines: 'all' }, context)
  const description = `Snoozed the check "${result.check_name}" on the device "${device.name}" until ${snoozedUntil}.`
  await recordAudit(tx, { action: 'check.snoozed', about: { device: deviceId, check: checkId }, description }, context)
  return snoozedUntil
}

async function hasIssue(tx: Tx, { organizationId, deviceId, checkId }: CheckOnDevice): Promise<boolean> {
  const issue = await tx
    .selectFrom('issues')
    .select('id')
    .where(inOrganization('issues', organizationId))
    .where('device_id', '=', deviceId)
    .where('check_id', '=', checkId)
    .where('resolved_at', 'is', null)
    .where('exempted', '=', false)
    .limit(1)
    .executeTakeFirst()
  return issue !== undefined
}
