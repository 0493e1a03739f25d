import { registerDevice } from '../../administration/registrations/register-device.ts'
import { suspendRegistration } from '../../administration/registrations/suspend-registration.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { retarget, targetedChecks } from '../../compliance/targeting/retarget.ts'
import { followReportedFacts, type ReportedFacts } from '../../inventory/devices/follow-reported-facts.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { renewDevice } from '../../inventory/devices/save-enrolled-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import type { DeviceFacts } from './enrollment-rules.ts'

type Reenrollment = {
  secret: { id: string; name: string; person_id: string | null }
  facts: DeviceFacts
  /** Why the registration is suspended; undefined where it is not. */
  doubt: string | undefined
  /** What the entry of the audit log says at its end. */
  remark: string
}

/** Takes over what a machine said that enrolled as a known, locked device. Its node keys are the caller's to change. */
export async function enrollAgain(
  tx: Tx,
  device: LockedDevice,
  { secret, facts, doubt, remark }: Reenrollment,
  change: ChangeContext,
): Promise<void> {
  const { organizationId, now } = change
  await renewDevice(tx, device, facts, now)
  await followReportedFacts(tx, { organizationId, deviceId: device.id }, toldBy(facts), change)
  const renewed = (await lockDevice(tx, organizationId, device.id)) ?? device
  if (renewed.device_type !== device.device_type) {
    await retarget(tx, [renewed], await targetedChecks(tx, organizationId), change)
  }
  await queueAgentNotice(tx, organizationId, device.id, now)
  await recordAudit(
    tx,
    {
      action: 'device.enrolled_again',
      about: { device: device.id, enrolment_secret: secret.id },
      description: `The device "${facts.name}" enrolled again with the enrollment secret "${secret.name}"${remark}.`,
    },
    change,
  )
  if (doubt !== undefined) await suspendRegistration(tx, renewed, doubt, change)
  if (device.registered_owner_id === null) await registerToPerson(tx, secret.person_id, device.id, change)
}

/** What a machine could not read this time stays as it was. */
const toldBy = ({ name, operating_system, hardware_model, agent_version }: DeviceFacts): ReportedFacts =>
  Object.fromEntries(
    Object.entries({ name, operating_system, hardware_model, agent_version }).filter(([, value]) => value !== null),
  )

/** An enrollment secret that an administrator issued for a person is the approval of the person's device. */
export async function registerToPerson(
  tx: Tx,
  personId: string | null,
  deviceId: string,
  change: ChangeContext,
): Promise<void> {
  if (personId !== null) await registerDevice(tx, { deviceId, personId, isByOwner: true }, change)
}
