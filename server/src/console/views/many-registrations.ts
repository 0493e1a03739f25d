import { sql } from 'kysely'
import { manyDevices } from '../../administration/registrations/record-many-registrations.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { dayMs, hourMs, plusMs } from '../../base/time.ts'

const most = 10

/** So many devices the owner registered in the hour that ends with each. */
const withinHour = sql<number>`count(*) over (
  partition by registered_owner_id order by registered_at range between interval '1 hour' preceding and current row)::int`

/** Of the last day, with the hour before it, which an index has. */
const listRegistrations = (reader: Reader, organizationId: string, now: string) =>
  reader
    .selectFrom('devices')
    .select(['registered_owner_id', 'registered_at', withinHour.as('devices')])
    .where(inOrganization('devices', organizationId))
    .where(sql<boolean>`is_registered_by_owner`)
    .where('registered_at', '>=', plusMs(now, -dayMs - hourMs))
    .where('deleted_at', 'is', null)

/**
 * Who registered many devices to themselves within an hour of the last day, the latest first, with the last device of
 * which that is true and how many it were in the hour until then.
 */
export async function listManyRegistrations(reader: Reader, organizationId: string, now: string) {
  const latest = reader
    .selectFrom(listRegistrations(reader, organizationId, now).as('registrations'))
    .distinctOn('registered_owner_id')
    .select(['registered_owner_id', 'devices', sql<string>`registered_at`.as('last_registered_at')])
    .where('devices', '>=', manyDevices)
    .where('registered_at', '>=', plusMs(now, -dayMs))
    .orderBy('registered_owner_id')
    .orderBy('registered_at', 'desc')
  return reader
    .selectFrom('people')
    .innerJoin(latest.as('latest'), 'latest.registered_owner_id', 'people.id')
    .select(['people.id as person_id', 'people.name as person_name', 'latest.devices', 'latest.last_registered_at'])
    .where(inOrganization('people', organizationId))
    .orderBy('latest.last_registered_at', 'desc')
    .orderBy('people.id')
    .limit(most)
    .execute()
}
