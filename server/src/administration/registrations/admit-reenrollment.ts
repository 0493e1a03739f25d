import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { dayMs, hourMs, plusMs } from '../../base/time.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { setIdentityConflict } from '../../inventory/devices/set-identity-conflict.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import { firstAt, judgeReenrollment, type Reenrollments } from './reenrollment-rules.ts'

export type Admission = { isRefused: false; refusedBefore: number } | { isRefused: true }

/**
 * Decides whether an agent may enroll as a locked device while another agent of that device is in use. Where two do so
 * alternately, the device is marked, and the one that holds the node key keeps it for some time.
 */
export async function admitReenrollment(tx: Tx, device: LockedDevice, context: ChangeContext): Promise<Admission> {
  const before = await findReenrollments(tx, device)
  const verdict = judgeReenrollment(before, device.identity_conflict_since !== null, context.now)
  await saveReenrollments(tx, device, verdict.next)
  if (verdict.isNewConflict) {
    const description = `Found two agents that take turns enrolling as the device "${device.name}"; more enrollments as it are refused until ${verdict.next.refused_until}.`
    await beginConflict(tx, device, description, context)
  }
  return verdict.isRefused ? { isRefused: true } : { isRefused: false, refusedBefore: before?.refused ?? 0 }
}

const betweenEntriesMs = hourMs
/** So long a resolved conflict lets a machine in whose companion is gone. */
const resolvedMs = dayMs

/** Whether an administrator has resolved the conflict of a device within the last day. */
export async function isResolved(tx: Tx, device: LockedDevice, now: string): Promise<boolean> {
  const resolvedAt = (await findReenrollments(tx, device))?.resolved_at ?? null
  return resolvedAt !== null && resolvedAt > plusMs(now, -resolvedMs)
}

/** Forgets what was counted of a device whose conflict is resolved: the next enrollment as it is taken at once. */
export const noteResolved = (tx: Tx, device: LockedDevice, now: string): Promise<void> =>
  saveReenrollments(tx, device, { ...firstAt(now), counted: 0, resolved_at: now })

/**
 * Marks a locked device as which nodes have enrolled that its companion has not confirmed: another machine may have its
 * identity. Its registration and its node stay. The audit log has one entry an hour at most, which counts them all.
 */
export async function noteRefusedNodes(
  tx: Tx,
  device: LockedDevice,
  count: number,
  context: ChangeContext,
): Promise<void> {
  const { now } = context
  const before = (await findReenrollments(tx, device)) ?? { ...firstAt(now), counted: 0 }
  const refused = before.refused + count
  const isNoted = device.identity_conflict_since !== null && now < plusMs(before.counted_from, betweenEntriesMs)
  const next = isNoted ? { refused } : { refused: 0, counted_from: now }
  await saveReenrollments(tx, device, { ...before, ...next, last_at: now })
  if (isNoted) return
  const [nodes, them] = refused === 1 ? ['an osquery node', 'it'] : [`${refused} osquery nodes`, 'them']
  const description = `Refused ${nodes} that enrolled as the device "${device.name}": its companion did not confirm ${them} within 15 minutes.`
  await beginConflict(tx, device, description, context)
}

async function beginConflict(tx: Tx, device: LockedDevice, description: string, context: ChangeContext): Promise<void> {
  const { cause, now } = context
  if (device.identity_conflict_since === null) {
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
  }
  await recordAudit(
    tx,
    {
      action: 'device.identity_conflict_found',
      about: { device: device.id },
      description,
    },
    context,
  )
}

const findReenrollments = (tx: Tx, device: LockedDevice): Promise<Reenrollments | undefined> =>
  tx
    .selectFrom('device_reenrollments')
    .select(['counted_from', 'counted', 'last_at', 'refused_until', 'cool_downs', 'refused', 'resolved_at'])
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
