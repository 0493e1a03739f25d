import type { ChangeContext, ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { setExemptionOfCheck } from '../issues/exempt-issues.ts'
import { settleIssues } from '../issues/settle-issues.ts'
import { adjustTallies } from '../standing/adjust-tallies.ts'
import { holdConfigurations } from '../standing/hold-configurations.ts'
import { type CheckOnDevice, getResultOnDevice, type ResultOnDevice } from '../standing/result-on-device.ts'
import { judge } from '../standing/rules.ts'
import { listCheckFacts } from '../standing/stored-results.ts'
import { isAllowed } from '../standing/targeting-rules.ts'
import { reconcileDevices } from '../targeting/reconcile-devices.ts'

type Ending = Omit<CheckOnDevice, 'organizationId'>

/**
 * Ends the exemption of a device from a check: what the check last found counts again, with the issues it means. Does
 * nothing where there is no exemption. Fails with not_found where the check does not target the device.
 */
export async function endExemption(tx: Tx, { deviceId, checkId }: Ending, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  await holdConfigurations(tx, organizationId)
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const result = await getResultOnDevice(tx, { organizationId, deviceId, checkId })
  if (result.exempted_at === null) return
  await enterScope(tx, device, [result], context)
  const description = `Ended the exemption of the device "${device.name}" from the check "${result.check_name}".`
  await recordAudit(
    tx,
    { action: 'exemption.ended', about: { device: deviceId, check: checkId }, description },
    context,
  )
}

/** Has exempted results of a locked device count again. The caller holds the configurations. */
export async function enterScope(
  tx: Tx,
  device: LockedDevice,
  results: readonly ResultOnDevice[],
  context: ChangeOrigin,
): Promise<void> {
  for (const result of results) await bringBack(tx, device, result, context)
  await reconcileDevices(tx, [device], { deadlines: 'all' }, context)
}

async function bringBack(tx: Tx, device: LockedDevice, result: ResultOnDevice, context: ChangeOrigin): Promise<void> {
  const { organization_id: organizationId, id: deviceId } = device
  const { check_id: checkId } = result
  const status = statusInScope(result)
  await tx
    .updateTable('check_results')
    .set({ status, in_scope_status: null, exempted_at: null, exemption_reason: null, exemption_expires_at: null })
    .where(inOrganization('check_results', organizationId))
    .where('device_id', '=', deviceId)
    .where('check_id', '=', checkId)
    .execute()
  await adjustTallies(tx, organizationId, [{ checkId, deviceId, from: 'out_of_scope', to: status }])
  await setExemptionOfCheck(tx, { organizationId, deviceId, checkId }, false)
  if (status === 'failing') await openMissing(tx, device, result, context)
}

/** While exempted it was not marked stale with the others. */
function statusInScope({ in_scope_status: status, query_revision: revision, is_of_other_query }: ResultOnDevice) {
  if (status === null) throw new Error('The result of an exempted check keeps its status')
  return status !== 'pending' && revision !== null && is_of_other_query ? 'stale' : status
}

/** Opens what was found failing while the check was exempted. Nothing is resolved: runs did that all the time. */
async function openMissing(tx: Tx, device: LockedDevice, result: ResultOnDevice, context: ChangeOrigin): Promise<void> {
  const [check] = await listCheckFacts(tx, device.organization_id, [result.check_id])
  if (!check) return
  const { failures } = judge({ kind: 'rows', rows: result.rows }, check.primary_key_column)
  const verdict = {
    checkId: check.id,
    issueTitle: check.issue_title,
    primaryKeyColumn: check.primary_key_column,
    policy: check,
    isInBlockingGroups: isAllowed(check.blocking_allowed_groups, check.blocking_excluded_groups, device),
    snoozedUntil: result.snoozed_until,
    ranAt: result.ran_at ?? context.now,
    upgradedQuery: null,
    isExempted: false,
    failures,
    resolves: () => false,
  }
  await settleIssues(tx, device.organization_id, [{ device, context, verdicts: [verdict] }])
}
