import { sql } from 'kysely'
import { closestSpelling, equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

export const findReportedCheck = (reader: Reader, organizationId: string, checkId: string) =>
  reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .select(['checks.type', 'checks.primary_key_column', 'configuration.paused_at'])
    .where(inOrganization('checks', organizationId))
    .where('checks.id', '=', checkId)
    .where('checks.deletion_requested_at', 'is', null)
    .executeTakeFirst()

const fromActivePeople = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where('deprovisioned_at', 'is', null)

export type ReportedPerson = Awaited<ReturnType<typeof findReportedPerson>>

export const findReportedPerson = (reader: Reader, organizationId: string, by: { id: string } | { email: string }) =>
  'id' in by
    ? fromActivePeople(reader, organizationId).where('id', '=', by.id).executeTakeFirst()
    : fromActivePeople(reader, organizationId)
        .where(equalsFolded('people.email', by.email))
        .orderBy(closestSpelling('people.email', by.email), 'desc')
        .limit(1)
        .executeTakeFirst()

/** Living devices, each with whether the check targets it, by identifier or by owner. */
export const listReportedDevices = (
  reader: Reader,
  organizationId: string,
  checkId: string,
  by: { id: string } | { ownerId: string },
) =>
  reader
    .selectFrom('devices')
    .leftJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'devices.organization_id')
        .onRef('result.device_id', '=', 'devices.id')
        .on('result.check_id', '=', checkId),
    )
    .select(['devices.id', sql<boolean>`result.check_id is not null`.as('is_targeted')])
    .where(inOrganization('devices', organizationId))
    .where('devices.deleted_at', 'is', null)
    .$if('id' in by, (query) => query.where('devices.id', '=', 'id' in by ? by.id : ''))
    .$if('ownerId' in by, (query) => query.where('devices.registered_owner_id', '=', 'ownerId' in by ? by.ownerId : ''))
    .orderBy('devices.id')
    .execute()
