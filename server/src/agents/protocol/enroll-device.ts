import { sql } from 'kysely'
import { admitReenrollment } from '../../administration/registrations/admit-reenrollment.ts'
import { refusalsInWords } from '../../administration/registrations/end-identity-conflicts.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { suspendRegistration } from '../../administration/registrations/suspend-registration.ts'
import { type ChangeContext, newChange, systemActorAt } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { retarget, targetedChecks } from '../../compliance/targeting/retarget.ts'
import { followReportedFacts, type ReportedFacts } from '../../inventory/devices/follow-reported-facts.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { addDevice, renewDevice } from '../../inventory/devices/save-enrolled-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import type { AgentContext } from './agent-context.ts'
import { findEnrollmentSecret, listEnrolledDevices } from './enrollment-queries.ts'
import {
  type DeviceFacts,
  doubtOf,
  type EnrollmentRequest,
  identityOf,
  isInUse,
  isSecondMachine,
} from './enrollment-rules.ts'
import { enrollmentSecretPurpose } from './enrollment-secret-place.ts'
import { makeNodeKey, nodeKeyPurpose } from './node-key.ts'
import { addNodeKey, endNodeKeys } from './node-key-lookups.ts'

type EnrollmentSecret = NonNullable<Awaited<ReturnType<typeof findEnrollmentSecret>>>
type Enrolled = { deviceId: string; outcome: 'new' | 'again' | 'identity_conflict' }

export type Enrollment = { nodeKey: string } | { refusal: 'unknown_secret' | 'identity_conflict' }

/**
 * Enrolls a machine: a new device, or the one that it was before, whose earlier node key dies. Refuses
 * an inactive secret, and a machine that alternates with another one of the same identity. Fails with
 * status 503 when too many machines enroll at the same time.
 */
export async function enrollDevice(
  context: AgentContext,
  request: EnrollmentRequest,
  { organizationId, ipAddress, isGone }: { organizationId: string; ipAddress: string; isGone: () => boolean },
): Promise<Enrollment> {
  const { db, metrics, secrets } = context
  const nodeKey = makeNodeKey(secrets)
  const enrolled = await context.enrolling.take({ organizationId, isGone }, () => {
    const now = context.clock()
    return transact(db, async (tx) => {
      const secret = await findEnrollmentSecret(tx, secrets.lookupHash(enrollmentSecretPurpose, request.secret), now)
      if (!secret) return undefined
      const change = newChange(systemActorAt(ipAddress), secret.organization_id, now)
      const device = await enroll(tx, context, secret, request.facts, change)
      if (device.outcome === 'identity_conflict') return { ...device, organizationId: secret.organization_id }
      if (device.outcome === 'again') await endNodeKeys(tx, secret.organization_id, device.deviceId)
      await addNodeKey(tx, secret.organization_id, device.deviceId, secrets.lookupHash(nodeKeyPurpose, nodeKey))
      return { ...device, organizationId: secret.organization_id }
    })
  })
  metrics.enrollments.inc({ outcome: enrolled?.outcome ?? 'refused' })
  if (!enrolled) return { refusal: 'unknown_secret' }
  if (enrolled.outcome === 'identity_conflict') return { refusal: 'identity_conflict' }
  return { nodeKey }
}

async function enroll(
  tx: Tx,
  context: AgentContext,
  secret: EnrollmentSecret,
  facts: DeviceFacts,
  change: ChangeContext,
): Promise<Enrolled> {
  const organizationId = secret.organization_id
  const identity = identityOf(facts)
  if (identity !== undefined) {
    // Two enrollments of one machine come one after the other, so that the second finds what the first has made.
    const key = JSON.stringify([organizationId, identity])
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
    const known = await findKnown(tx, context, facts, change)
    const device = known && (await lockDevice(tx, organizationId, known.id))
    if (known && device) {
      const { last_seen_at: lastSeenAt, enrolled_at: enrolledAt } = known
      // The enrollment itself is noted as a contact, too, but tells nothing of an agent that lives.
      const spokeAt = lastSeenAt !== null && lastSeenAt > (enrolledAt ?? '') ? lastSeenAt : null
      const admission = isInUse(spokeAt, change.now) ? await admitReenrollment(tx, device, change) : undefined
      if (admission?.isRefused) return { deviceId: device.id, outcome: 'identity_conflict' }
      const refusals = refusalsInWords(admission?.refusedBefore ?? 0)
      await enrollAgain(tx, device, secret, facts, { spokeAt, refusals }, change)
      return { deviceId: device.id, outcome: 'again' }
    }
  }
  return { deviceId: await enrollNew(tx, secret, facts, change), outcome: 'new' }
}

/** The device that the machine was before, with the last contact of its agent. */
async function findKnown(
  tx: Tx,
  { presence }: AgentContext,
  facts: DeviceFacts,
  { organizationId, now }: ChangeContext,
) {
  for (const device of await listEnrolledDevices(tx, organizationId, facts)) {
    const seenAt = presence.unwritten(organizationId, device.id) ?? ''
    const known = { ...device, last_seen_at: seenAt > (device.last_seen_at ?? '') ? seenAt : device.last_seen_at }
    if (!isSecondMachine(known, facts, now)) return known
  }
  return undefined
}

async function enrollNew(tx: Tx, secret: EnrollmentSecret, facts: DeviceFacts, change: ChangeContext): Promise<string> {
  const organizationId = secret.organization_id
  const deviceId = await addDevice(tx, organizationId, facts, change.now)
  const device = await lockDevice(tx, organizationId, deviceId)
  if (device) await retarget(tx, [device], await targetedChecks(tx, organizationId), change)
  await announce(tx, [
    {
      type: 'devices.created',
      organizationId,
      deviceId,
      deviceName: facts.name,
      cause: change.cause,
      at: change.now,
    },
  ])
  await registerToPerson(tx, secret, deviceId, change)
  return deviceId
}

async function enrollAgain(
  tx: Tx,
  device: LockedDevice,
  secret: EnrollmentSecret,
  facts: DeviceFacts,
  earlier: { spokeAt: string | null; refusals: string },
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
      description: `The device "${facts.name}" enrolled again with the enrollment secret "${secret.name}"${earlier.refusals}.`,
    },
    change,
  )
  const doubt = doubtOf(
    { registered_owner_id: device.registered_owner_id, spokeAt: earlier.spokeAt },
    secret.person_id,
    now,
  )
  if (doubt !== undefined) await suspendRegistration(tx, renewed, doubt, change)
  if (device.registered_owner_id === null) await registerToPerson(tx, secret, device.id, change)
}

/** What a machine could not read this time stays as it was. */
const toldBy = ({ name, operating_system, hardware_model, agent_version }: DeviceFacts): ReportedFacts =>
  Object.fromEntries(
    Object.entries({ name, operating_system, hardware_model, agent_version }).filter(([, value]) => value !== null),
  )

/** An enrollment secret that an administrator issued for a person is the approval of the person's device. */
async function registerToPerson(tx: Tx, secret: EnrollmentSecret, deviceId: string, change: ChangeContext) {
  if (secret.person_id === null) return
  await registerDevice(tx, { deviceId, personId: secret.person_id }, change)
}
