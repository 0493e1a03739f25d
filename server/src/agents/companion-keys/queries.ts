import { sql } from 'kysely'
import { equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { hardwareUuidOf, serialOf } from '../../inventory/devices/osquery-fact-rules.ts'

export type CompanionKey = NonNullable<Awaited<ReturnType<typeof findCompanionKey>>>

/** The key of a thumbprint, with the device that it speaks for or may come to speak for. */
export function findCompanionKey(reader: Reader, kid: string) {
  return reader
    .selectFrom('companion_key_lookups as lookup')
    .innerJoin('companion_keys as key', (join) =>
      join.onRef('key.organization_id', '=', 'lookup.organization_id').onRef('key.kid', '=', 'lookup.kid'),
    )
    .innerJoin('organizations as organization', 'organization.id', 'key.organization_id')
    .leftJoin('devices as device', (join) =>
      join
        .onRef('device.organization_id', '=', 'key.organization_id')
        .onRef('device.id', '=', 'key.device_id')
        .on('device.deleted_at', 'is', null),
    )
    .selectAll('key')
    .select(['device.id as living_device_id', 'device.registration_suspended_at', 'organization.base_url'])
    .where('lookup.kid', '=', kid)
    .executeTakeFirst()
}

/** The key of a thumbprint in an organization, as far as a proof is judged by it. */
export const findProvingKey = (reader: Reader, organizationId: string, kid: string) =>
  reader
    .selectFrom('companion_keys as key')
    .leftJoin('devices as device', (join) =>
      join
        .onRef('device.organization_id', '=', 'key.organization_id')
        .onRef('device.id', '=', 'key.device_id')
        .on('device.deleted_at', 'is', null),
    )
    .select(['key.organization_id', 'key.kid', 'key.public_jwk', 'key.status', 'key.device_id'])
    .select(['key.port', 'key.network'])
    .select(['key.epoch', 'key.previous_epoch', 'key.epoch_at', 'key.seen_twice_at', 'key.contest_ends_at'])
    .select(['key.link_name', 'key.confirmed_at', 'device.id as living_device_id'])
    .select('device.registration_suspended_at as suspended_at')
    .where('key.organization_id', '=', organizationId)
    .where('key.kid', '=', kid)
    .executeTakeFirst()

/** The organization that holds a key. */
export async function findHolder(reader: Reader, kid: string): Promise<string | undefined> {
  const row = await reader
    .selectFrom('companion_key_lookups')
    .select('organization_id')
    .where('kid', '=', kid)
    .executeTakeFirst()
  return row?.organization_id
}

/** The keys whose files the device's osquery node is asked for. */
export function listAskedKeys(reader: Reader, organizationId: string, deviceId: string) {
  return reader
    .selectFrom('companion_keys')
    .select(['kid', 'status', 'link_name', 'rival_link_name', 'last_contact_at'])
    .where(inOrganization('companion_keys', organizationId))
    .where('device_id', '=', deviceId)
    .where((build) => build.or([build('link_name', 'is not', null), build('rival_link_name', 'is not', null)]))
    .execute()
}

/**
 * The linked key that is the identity of a device: a node that enrolls as the device needs its word. Not one that a node key
 * has linked, nor one on Windows, where osquery does not tell who may read the companion's file.
 */
export function findIdentityKey(reader: Reader, organizationId: string, deviceId: string) {
  return reader
    .selectFrom('companion_keys')
    .select(['kid', 'link_name', 'last_contact_at', 'contest_ends_at'])
    .where(inOrganization('companion_keys', organizationId))
    .where('device_id', '=', deviceId)
    .where('status', '=', 'linked')
    .where('linked_by', '=', 'file')
    .where('platform', '<>', 'win32')
    .executeTakeFirst()
}

/** The device of this node key, where it is in the organization. */
export function findDeviceOfNodeKey(reader: Reader, organizationId: string, lookupHash: Buffer) {
  return reader
    .selectFrom('node_key_lookups')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'node_key_lookups.organization_id')
        .onRef('devices.id', '=', 'node_key_lookups.device_id'),
    )
    .select('devices.id')
    .where(inOrganization('node_key_lookups', organizationId))
    .where('node_key_lookups.lookup_hash', '=', lookupHash)
    .where('node_key_lookups.unconfirmed_until', 'is', null)
    .where('devices.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The device that has this hardware, as far as the companion could read it; of several the one with its serial. */
export function findDeviceOfHardware(
  reader: Reader,
  organizationId: string,
  hardware: { hardware_uuid: string | null; serial: string | null },
) {
  const [uuid, serial] = [hardwareUuidOf(hardware.hardware_uuid ?? ''), serialOf(hardware.serial ?? '')]
  if (uuid === null && serial === null) return Promise.resolve(undefined)
  return reader
    .selectFrom('devices')
    .select('id')
    .where(inOrganization('devices', organizationId))
    .where('deleted_at', 'is', null)
    .where(uuid === null ? equalsFolded('serial', serial ?? '') : equalsFolded('hardware_uuid', uuid))
    .orderBy(sql`coalesce(${equalsFolded('serial', serial ?? '')}, false)`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The checks that somebody waits for on a device, with the time of the request. */
export function listRequestedChecks(reader: Reader, organizationId: string, deviceId: string) {
  return reader
    .selectFrom('check_refreshes')
    .select(['check_id', 'requested_at'])
    .where(inOrganization('check_refreshes', organizationId))
    .where('device_id', '=', deviceId)
    .orderBy('check_id')
    .execute()
}
