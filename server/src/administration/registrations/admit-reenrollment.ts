import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { setIdentityConflict } from '../../inventory/devices/set-identity-conflict.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import { judgeReenrollment, type Reenrollments } from './reenrollment-rules.ts'

export type Admission = { isRefused: false; refusedBefore: number } | { isRefused: true }

/**
 * Decides whether an agent may enroll as a locked device while another agent of that device is in use. Where two do so
 * alternately, the device is marked, and the one that holds the node key keeps it for some time.
 */
export async function admitReenrollment(tx: Tx, device: LockedDevice, context: ChangeContext): Promise<Admission> {
  const before = await findReenrollments(tx, device)
  const verdict = judgeReenrollment(before, device.identity_conflict_since !== null, context.now)
  await saveReenrollments(tx, device, verdict.next)
  if (verdict.isNewConflict) await beginConflict(tx, device, verdict.next, context)
  return verdict.isRefused ? { isRefused: true } : { isRefused: false, refusedBefore: before?.refused ?? 0 }
}

async function beginConflict(
  tx: Tx,
  device: LockedDevice,
  { refused_until: until }: Reenrollments,
  context: ChangeContext,
): Promise<void> {
  const { cause, now } = context
  await setIdentityConflict(tx, device, now)
  await announce(tx, [
    {
      type: 'devices.identity_conflict',
      organizationId: device.organization_id,
      deviceId: device.id,
      deviceName: device.name,
      cause,
      at: now,
    },
  ])
  await recordAudit(
    tx,
    {
      action: 'device.identity_conflict_found',
      about: { device: device.id },
      description: `Found two agents that take turns enrolling as the device "${device.name}"; more enrollments as it are refused until ${until}.`,
    },
    context,
  )
}

const findReenrollments = (tx: Tx, device: LockedDevice): Promise<Reenrollments | undefined> =>
  tx
    .selectFrom('device_reenrollments')
    .select(['counted_from', 'counted', 'last_at', 'refused_until', 'cool_downs', 'refused'])
    .where(inOrganization('device_reenrollments', device.organization_id))
    .where('device_id', '=', device.id)
    .executeTakeFirst()

async function saveReenrollments(tx: Tx, device: LockedDevice, next: Reenrollments): Promise<void> {
  await tx
    .insertInto('device_reenrollments')
    .values({ organization_id: device.organization_id, device_id: device.id, ...next })
    .onConflict((conflict) => conflict.constraint('device_reenrollments_pkey').doUpdateSet(next))
    .execute()
}
