import type { ChangeContext, ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { storable } from '../../base/storable.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { setExemptionOfCheck } from '../issues/exempt-issues.ts'
import { adjustTallies } from '../standing/adjust-tallies.ts'
import { type CheckOnDevice, getResultOnDevice, type ResultOnDevice } from '../standing/result-on-device.ts'
import { reconcileDevices } from '../targeting/reconcile-devices.ts'

type Exemption = Omit<CheckOnDevice, 'organizationId'> & {
  reason: string
  /** Null for one without an end. */
  expiresAt: string | null
}

const maxReasonLength = 5_000

/**
 * Takes a device out of the scope of a check, until the exemption expires or is ended: its open issues of the check
 * stay open but block no more, and no others are opened. An exemption that is there gets the new reason and end. Fails
 * with not_found where the check does not target the device, and with invalid.
 */
export async function exemptCheck(tx: Tx, exemption: Exemption, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { deviceId, checkId, expiresAt } = exemption
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const result = await getResultOnDevice(tx, { organizationId, deviceId, checkId })
  const reason = readReason(exemption.reason)
  if (expiresAt !== null && expiresAt <= now) {
    fail('invalid', { errors: [{ field: 'expires_at', message: 'must be in the future' }] })
  }
  const wasExempted = result.exempted_at !== null
  if (wasExempted && result.exemption_reason === reason && result.exemption_expires_at === expiresAt) return
  await write(tx, exemption, { reason, exemptedAt: result.exempted_at ?? now }, context)
  if (!wasExempted) await leaveScope(tx, device, result, context)
  const until = expiresAt === null ? 'with no end' : `until ${expiresAt}`
  const subject = `the device "${device.name}" from the check "${result.check_name}"`
  const verb = wasExempted ? `Changed the exemption of ${subject} to one ${until}` : `Exempted ${subject} ${until}`
  await recordAudit(
    tx,
    {
      action: wasExempted ? 'exemption.updated' : 'exemption.created',
      about: { device: deviceId, check: checkId },
      description: `${verb}: "${reason}".`,
    },
    context,
  )
}

function readReason(text: string): string {
  const reason = storable(text).trim()
  if (reason === '') fail('invalid', { errors: [{ field: 'reason', message: 'must not be blank' }] })
  if (reason.length <= maxReasonLength) return reason
  return fail('invalid', {
    errors: [{ field: 'reason', message: `must not have more than ${maxReasonLength} characters` }],
  })
}

async function write(
  tx: Tx,
  { deviceId, checkId, expiresAt }: Exemption,
  { reason, exemptedAt }: { reason: string; exemptedAt: string },
  context: ChangeContext,
): Promise<void> {
  const { organizationId } = context
  await tx
    .updateTable('check_results')
    .set((row) => ({
      status: 'out_of_scope',
      in_scope_status: row.fn.coalesce(
        'in_scope_status',
        row.ref('status').$castTo<ResultOnDevice['in_scope_status']>(),
      ),
      exempted_at: exemptedAt,
      exemption_reason: reason,
      exemption_expires_at: expiresAt,
    }))
    .where(inOrganization('check_results', organizationId))
    .where('device_id', '=', deviceId)
    .where('check_id', '=', checkId)
    .execute()
}

async function leaveScope(tx: Tx, device: LockedDevice, result: ResultOnDevice, context: ChangeOrigin): Promise<void> {
  const { organization_id: organizationId, id: deviceId } = device
  const { check_id: checkId, status } = result
  await adjustTallies(tx, organizationId, [{ checkId, deviceId, from: status, to: 'out_of_scope' }])
  await setExemptionOfCheck(tx, { organizationId, deviceId, checkId }, true)
  await reconcileDevices(tx, [device], { deadlines: 'all' }, context)
}
