import type { UnregistrationPreview } from '@muster/contract/console-unregistrations.ts'
import type { DeviceViewFilter } from '@muster/contract/console-views.ts'
import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { devicesOf } from './device-filter.ts'

const maxNames = 3

/** Some by their identifiers, or all that the filter finds but some. */
type Meant = {
  readonly named: readonly string[] | undefined
  readonly filter: DeviceViewFilter
  readonly excepted: readonly string[]
}

/** Whom it would hit if the registrations of these devices ended now. */
export async function previewUnregistration(
  db: Db,
  organizationId: string,
  { named, filter, excepted }: Meant,
  now: string,
): Promise<UnregistrationPreview> {
  const meant = devicesOf(db, organizationId, named ? {} : filter, now)
    .select(['devices.id', 'devices.registered_owner_id', 'devices.device_type', 'people.name as owner_name'])
    .where(
      named
        ? sql<boolean>`devices.id = any(${named}::bigint[])`
        : sql<boolean>`devices.id <> all(${excepted}::bigint[])`,
    )
  const { rows } = await sql<UnregistrationPreview>`
    with meant as (${meant}), owners as (
      select registered_owner_id as id, owner_name as name, count(*) as devices from meant
      where registered_owner_id is not null group by registered_owner_id, owner_name
    )
    select (select count(*)::int from meant) as devices_count,
      (select count(*)::int from meant where registered_owner_id is not null) as registered_count,
      (select count(*)::int from meant where registered_owner_id is not null and device_type in ('iOS', 'Android'))
        as deleted_count,
      (select count(*)::int from owners) as owners_count,
      array(select name from owners order by folded(name) collate "C", id limit ${maxNames}) as owner_names,
      (select count(*)::int from owners where owners.devices = (
        select count(*) from devices as owned where owned.organization_id = ${organizationId}::bigint
          and owned.registered_owner_id = owners.id and owned.deleted_at is null)) as ownerless_count,
      (select count(*)::int from devices where organization_id = ${organizationId}::bigint and deleted_at is null)
        as all_devices_count`.execute(db)
  const [preview] = rows
  if (!preview) throw new Error('A query without from has one row')
  return preview
}
