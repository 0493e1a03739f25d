import { sql } from 'kysely'
import { equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { DeviceFacts } from './enrollment-rules.ts'

/** The enrollment secrets of an organization without the secrets themselves, oldest first, the revoked included. */
export function listEnrollmentSecrets(reader: Reader, organizationId: string) {
  return reader
    .selectFrom('enrollment_secrets')
    .leftJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'enrollment_secrets.organization_id')
        .onRef('people.id', '=', 'enrollment_secrets.person_id'),
    )
    .select([
      'enrollment_secrets.id',
      'enrollment_secrets.name',
      'enrollment_secrets.person_id',
      'people.name as person_name',
      'people.email as person_email',
      'enrollment_secrets.created_at',
      'enrollment_secrets.expires_at',
      'enrollment_secrets.revoked_at',
    ])
    .where(inOrganization('enrollment_secrets', organizationId))
    .orderBy('enrollment_secrets.id')
    .execute()
}

/** The active secret with this look-up hash. */
export function findEnrollmentSecret(reader: Reader, lookupHash: Buffer, now: string) {
  return secretsInForce(reader, now)
    .select(['secret.organization_id', 'secret.id', 'secret.name', 'secret.person_id'])
    .where('lookup.lookup_hash', '=', lookupHash)
    .executeTakeFirst()
}

/** An enrollment secret, if it is active. */
export function findEnrollmentSecretById(reader: Reader, organizationId: string, id: string, now: string) {
  return secretsInForce(reader, now)
    .select(['secret.id', 'secret.name', 'secret.person_id'])
    .where('secret.organization_id', '=', organizationId)
    .where('secret.id', '=', id)
    .executeTakeFirst()
}

/** The organizations of those of these look-up hashes, in hex, that belong to active secrets. */
export async function findSecretsInForce(
  reader: Reader,
  lookupHashes: readonly Buffer[],
  now: string,
): Promise<Map<string, string>> {
  const rows = await secretsInForce(reader, now)
    .select(['lookup.lookup_hash', 'secret.organization_id'])
    .where(sql<boolean>`lookup.lookup_hash = any(${lookupHashes}::bytea[])`)
    .execute()
  return new Map(rows.map((row) => [row.lookup_hash.toString('hex'), row.organization_id]))
}

/** A secret that is bound to a person ends with that person. */
function secretsInForce(reader: Reader, now: string) {
  return reader
    .selectFrom('enrollment_secret_lookups as lookup')
    .innerJoin('enrollment_secrets as secret', (join) =>
      join
        .onRef('secret.organization_id', '=', 'lookup.organization_id')
        .onRef('secret.id', '=', 'lookup.enrollment_secret_id'),
    )
    .leftJoin('people', (join) =>
      join.onRef('people.organization_id', '=', 'secret.organization_id').onRef('people.id', '=', 'secret.person_id'),
    )
    .where('secret.revoked_at', 'is', null)
    .where('people.deprovisioned_at', 'is', null)
    .where((build) => build.or([build('secret.expires_at', 'is', null), build('secret.expires_at', '>', now)]))
}

/** Beyond these, machines of one UUID are not told apart. */
const maxCandidates = 100

/**
 * The living devices that these facts may describe. With a hardware UUID that alone decides, unless serials are known on both
 * sides and differ: firmware now and then does not say its serial. Those with the same serial come first, then those with the
 * same host identifier, then those with any serial, then the latest. Without a UUID, serial and machine id must both agree.
 */
export function listEnrolledDevices(tx: Tx, organizationId: string, facts: DeviceFacts) {
  const { hardware_uuid: uuid, serial, machine_id: machineId } = facts
  const hasSameIdentifier = sql`coalesce(${equalsFolded('devices.host_identifier', facts.host_identifier ?? '')}, false)`
  const candidates = tx
    .selectFrom('devices')
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.organization_id', '=', 'devices.organization_id')
        .onRef('presence.device_id', '=', 'devices.id'),
    )
    .select([
      ...(['devices.id', 'devices.serial', 'devices.host_identifier', 'devices.enrolled_at'] as const),
      'presence.last_seen_at',
    ])
    .where(inOrganization('devices', organizationId))
    .where('devices.device_type', 'not in', ['iOS', 'Android'])
    // `is null` is what indexes of other orders are limited to. Without statistics these seem as good as the one of the UUID.
    .where(sql<boolean>`coalesce(devices.deleted_at, 'infinity') = 'infinity'`)
    .limit(maxCandidates)
  if (uuid !== null) {
    return candidates
      .where(equalsFolded('devices.hardware_uuid', uuid))
      .$if(serial !== null, (query) =>
        query.where((build) =>
          build.or([equalsFolded('devices.serial', serial ?? ''), build('devices.serial', 'is', null)]),
        ),
      )
      .orderBy(sql`coalesce(${equalsFolded('devices.serial', serial ?? '')}, false)`, 'desc')
      .orderBy(hasSameIdentifier, 'desc')
      .orderBy(sql`devices.serial is null`)
      .orderBy('devices.id', 'desc')
      .execute()
  }
  // `is not distinct from` says it shorter, but no index serves it.
  const same = (value: string | null) => (value === null ? 'is' : '=')
  return candidates
    .where('devices.hardware_uuid', 'is', null)
    .where((is) => (serial === null ? is('devices.serial', 'is', null) : equalsFolded('devices.serial', serial)))
    .where('devices.machine_id', same(machineId), machineId)
    .orderBy(hasSameIdentifier, 'desc')
    .orderBy('devices.id', 'desc')
    .execute()
}
