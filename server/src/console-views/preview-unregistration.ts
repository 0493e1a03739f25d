import type { UnregistrationPreview, UnregistrationPreviewRequest } from '@muster/contract/console-unregistrations.ts'
import { sql } from 'kysely'
import type { Reader } from '../db/transact.ts'
import { identifierOf } from '../http/record-id.ts'
import { devicesOf } from './device-filter.ts'

const mostNames = 3

/** Whom it would hit if the registrations of these devices ended now. */
export async function previewUnregistration(
  reader: Reader,
  organizationId: string,
  { device_ids: named, filter = {}, except_ids: excepted = [] }: UnregistrationPreviewRequest,
  now: string,
): Promise<UnregistrationPreview> {
  const meant = devicesOf(reader, organizationId, named ? {} : filter, now)
    .select(['devices.id', 'devices.registered_owner_id', 'devices.device_type', 'people.name as owner_name'])
    .where(
      named
        ? sql<boolean>`devices.id = any(${named.map(identifierOf)}::bigint[])`
        : sql<boolean>`devices.id <> all(${excepted.map(identifierOf)}::bigint[])`,
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
      array(select name from owners order by lower(name), id limit ${mostNames}) as owner_names,
      (select count(*)::int from owners where owners.devices = (
        select count(*) from devices as owned where owned.organization_id = ${organizationId}::bigint
          and owned.registered_owner_id = owners.id and owned.deleted_at is null)) as ownerless_count,
      (select count(*)::int from devices where organization_id = ${organizationId}::bigint and deleted_at is null)
        as all_devices_count`.execute(reader)
  const [preview] = rows
  if (!preview) throw new Error('A query without from has one row')
  return preview
}
