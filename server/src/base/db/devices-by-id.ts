import { type RawBuilder, sql } from 'kysely'

/**
 * Devices for a `from`, in the order of their identifiers, each looked up by its key and locked as said; the deleted are among
 * them. Without statistics few devices are taken to be of an organization and fewer to be alive, and all of them would be
 * read to find some.
 */
export const devicesById = (organizationId: string, ids: readonly string[], lock: RawBuilder<unknown> = sql``) => sql`
  (select distinct id from unnest(${ids}::bigint[]) as given (id) order by id) as asked
  cross join lateral (
    select * from devices where devices.organization_id = ${organizationId}::bigint and devices.id = asked.id
    limit 1 ${lock}
  ) as devices`
