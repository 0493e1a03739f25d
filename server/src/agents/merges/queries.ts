import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Reader } from '../../base/db/transact.ts'

export type MergedDevice = Awaited<ReturnType<typeof findMergedDevices>>[number]

/** Devices, those that are being deleted included, with what decides about a merge of them. */
export const findMergedDevices = (reader: Reader, organizationId: string, deviceIds: readonly string[]) =>
  reader
    .selectFrom('devices')
    .leftJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'devices.organization_id')
        .onRef('people.id', '=', 'devices.registered_owner_id'),
    )
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.organization_id', '=', 'devices.organization_id')
        .onRef('presence.device_id', '=', 'devices.id'),
    )
    .select([
      'devices.id',
      'devices.name',
      'devices.is_named',
      'devices.has_had_owner',
      'devices.device_type',
      'devices.operating_system',
      'devices.hardware_model',
      'devices.agent_version',
      'devices.serial',
      'devices.hardware_uuid',
      'devices.machine_id',
      'devices.host_identifier',
      'devices.note',
      'devices.enrolled_at',
      'devices.deleted_at',
      'devices.registered_owner_id',
      'devices.registration_suspended_at',
      'people.name as owner_name',
      'presence.last_seen_at',
      // An agent that has only enrolled is alive, too.
      sql<string | null>`greatest(presence.last_seen_at, devices.enrolled_at)`.as('heard_at'),
      sql<number>`(select count(*)::int from issues where issues.organization_id = devices.organization_id
        and issues.device_id = devices.id and issues.resolved_at is null)`.as('open_issues'),
    ])
    .where(inOrganization('devices', organizationId))
    .where('devices.id', '=', sql<string>`any(${deviceIds}::bigint[])`)
    .execute()

type Pair = { organizationId: string; keptId: string; otherId: string }

/** The device groups that only the other device is in. */
export const listGroupsToJoin = (reader: Reader, { organizationId, keptId, otherId }: Pair) =>
  reader
    .selectFrom('device_group_members as member')
    .innerJoin('device_groups', (join) =>
      join
        .onRef('device_groups.organization_id', '=', 'member.organization_id')
        .onRef('device_groups.id', '=', 'member.device_group_id'),
    )
    .select(['device_groups.id', 'device_groups.name'])
    .where('member.organization_id', '=', organizationId)
    .where('member.device_id', '=', otherId)
    .where('member.device_group_id', 'not in', (build) =>
      build
        .selectFrom('device_group_members as own')
        .select('own.device_group_id')
        .where('own.organization_id', '=', organizationId)
        .where('own.device_id', '=', keptId),
    )
    .orderBy('device_groups.id')
    .execute()

/** Active exemptions of the other device from checks that the kept one has a result for but no exemption from. */
export async function listExemptionsToTake(reader: Reader, { organizationId, keptId, otherId }: Pair, now: string) {
  const rows = await reader
    .selectFrom('check_results as result')
    .innerJoin('check_results as own', (join) =>
      join.onRef('own.organization_id', '=', 'result.organization_id').onRef('own.check_id', '=', 'result.check_id'),
    )
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'result.organization_id').onRef('checks.id', '=', 'result.check_id'),
    )
    .select(['checks.id as check_id', 'checks.name', 'result.exemption_reason', 'result.exemption_expires_at'])
    .where('result.organization_id', '=', organizationId)
    .where('result.device_id', '=', otherId)
    .where('result.exempted_at', 'is not', null)
    .where('own.device_id', '=', keptId)
    .where('own.exempted_at', 'is', null)
    .where((build) =>
      build.or([build('result.exemption_expires_at', 'is', null), build('result.exemption_expires_at', '>', now)]),
    )
    .orderBy('checks.id')
    .execute()
  return rows.map((row) => ({ ...row, reason: row.exemption_reason ?? 'It was exempted before the merge.' }))
}

const maxTwins = 10

/** Living devices of the same platform with the serial or the hardware UUID of this one, the latest first. */
export async function listTwins(db: Db, organizationId: string, deviceId: string) {
  const { rows } = await sql<{ id: string; name: string; serial: boolean; uuid: boolean; last_seen_at: string | null }>`
    with self as (
      select id, serial, hardware_uuid, device_type from devices
      where organization_id = ${organizationId}::bigint and id = ${deviceId}::bigint and deleted_at is null
    ), twins as (
      select devices.id from self join devices on devices.organization_id = ${organizationId}::bigint
        and folded(devices.serial) = folded(self.serial)
      union
      select devices.id from self join devices on devices.organization_id = ${organizationId}::bigint
        and folded(devices.hardware_uuid) = folded(self.hardware_uuid)
    )
    select twin.id, twin.name, coalesce(folded(twin.serial) = folded(self.serial), false) as serial,
      coalesce(folded(twin.hardware_uuid) = folded(self.hardware_uuid), false) as uuid, presence.last_seen_at
    from twins cross join self
    join devices as twin on twin.organization_id = ${organizationId}::bigint and twin.id = twins.id
    left join device_presence as presence
      on presence.organization_id = twin.organization_id and presence.device_id = twin.id
    where twin.id <> self.id and twin.deleted_at is null and twin.device_type = self.device_type
    order by twin.id desc limit ${sql.lit(maxTwins)}`.execute(db)
  return rows
}
