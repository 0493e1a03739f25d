import { sql } from 'kysely'
import { admitReenrollment, isResolved } from '../../administration/registrations/admit-reenrollment.ts'
import { refusalsInWords } from '../../administration/registrations/end-identity-conflicts.ts'
import {
  type ChangeContext,
  newChange,
  type RequestSource,
  systemActor,
  systemActorAt,
} from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { hourMs } from '../../base/time.ts'
import { retarget, targetedChecks } from '../../compliance/targeting/retarget.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { addDevice } from '../../inventory/devices/save-enrolled-device.ts'
import { announce } from '../../signals/events/announce.ts'
import { endLink } from '../companion-keys/link-companion.ts'
import { findIdentityKey } from '../companion-keys/queries.ts'
import type { AgentContext } from './agent-context.ts'
import { enrollAgain, registerToPerson } from './enroll-again.ts'
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
import { addUnconfirmedNode } from './unconfirmed-nodes.ts'

type EnrollmentSecret = NonNullable<Awaited<ReturnType<typeof findEnrollmentSecret>>>
type Enrolled = { deviceId: string; outcome: 'new' | 'again' | 'unconfirmed' | 'identity_conflict' }

export type Enrollment = { nodeKey: string } | { refusal: 'unknown_secret' | 'identity_conflict' }

/**
 * Enrolls a machine: a new device, or the one that it was before, whose earlier node key dies. As a device with a linked
 * companion it waits until that one has confirmed it. Refuses an inactive secret, and a machine that alternates with
 * another one of the same identity. Fails with status 503 when too many machines enroll at the same time.
 */
export async function enrollDevice(
  context: AgentContext,
  request: EnrollmentRequest,
  { organizationId, source, isGone }: { organizationId: string; source: RequestSource; isGone: () => boolean },
): Promise<Enrollment> {
  const { db, metrics, secrets } = context
  const nodeKey = makeNodeKey(secrets)
  const enrolled = await context.enrolling.take({ organizationId, isGone }, () => {
    const now = context.clock()
    return transact(db, async (tx) => {
      const secret = await findEnrollmentSecret(tx, secrets.lookupHash(enrollmentSecretPurpose, request.secret), now)
      if (!secret) return undefined
      const change = newChange(systemActorAt(source), secret.organization_id, now)
      const lookupHash = secrets.lookupHash(nodeKeyPurpose, nodeKey)
      const device = await enroll(tx, context, { secret, facts: request.facts, lookupHash }, change)
      if (device.outcome === 'identity_conflict' || device.outcome === 'unconfirmed') return device
      if (device.outcome === 'again') await endNodeKeys(tx, secret.organization_id, device.deviceId)
      await addNodeKey(tx, secret.organization_id, device.deviceId, lookupHash)
      return device
    })
  })
  metrics.enrollments.inc({ outcome: enrolled?.outcome ?? 'refused' })
  if (!enrolled) return { refusal: 'unknown_secret' }
  if (enrolled.outcome === 'identity_conflict') return { refusal: 'identity_conflict' }
  return { nodeKey }
}

type Arrival = { secret: EnrollmentSecret; facts: DeviceFacts; lookupHash: Buffer }

async function enroll(
  tx: Tx,
  context: AgentContext,
  { secret, facts, lookupHash }: Arrival,
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
      const key = await findIdentity(tx, device, change)
      if (key) {
        await addUnconfirmedNode(tx, { deviceId: device.id, lookupHash, facts, secretId: secret.id }, key, change)
        return { deviceId: device.id, outcome: 'unconfirmed' }
      }
      const { last_seen_at: lastSeenAt, enrolled_at: enrolledAt } = known
      // The enrollment itself is noted as a contact, too, but tells nothing of an agent that lives.
      const spokeAt = lastSeenAt !== null && lastSeenAt > (enrolledAt ?? '') ? lastSeenAt : null
      const admission = isInUse(spokeAt, change.now) ? await admitReenrollment(tx, device, change) : undefined
      if (admission?.isRefused) return { deviceId: device.id, outcome: 'identity_conflict' }
      const refusals = refusalsInWords(admission?.refusedBefore ?? 0)
      const doubt = doubtOf({ ...device, spokeAt }, secret.person_id, change.now)
      await enrollAgain(tx, device, { secret, facts, doubt, remark: refusals }, change)
      return { deviceId: device.id, outcome: 'again' }
    }
  }
  return { deviceId: await enrollNew(tx, secret, facts, change), outcome: 'new' }
}

/** So long a companion is silent that an administrator knows to be gone. */
const goneMs = hourMs

/**
 * The linked key that is the identity of a device; undefined where there is none, or where it is gone and an administrator
 * has resolved the conflict that this made: then the node takes its place as that of a device without one.
 */
async function findIdentity(tx: Tx, device: LockedDevice, change: ChangeContext) {
  const { now } = change
  const key = await findIdentityKey(tx, device.organization_id, device.id)
  const isGone = key !== undefined && Date.parse(now) - Date.parse(key.last_contact_at) >= goneMs
  if (!isGone || !(await isResolved(tx, device, now))) return key
  await endLink(tx, { kid: key.kid, deviceId: device.id }, { ...change, actor: systemActor })
  return undefined
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
  await registerToPerson(tx, secret.person_id, deviceId, change)
  return deviceId
}
