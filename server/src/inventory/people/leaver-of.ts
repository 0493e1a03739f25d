import { type RawBuilder, sql } from 'kysely'

/**
 * The identifier of the deprovisioned person who has the address of an administrator; null for none, and where someone active has
 * it too, since two spellings of one address can be there. `row` is the name of the table, or what the query calls it.
 */
export const leaverOf = (row: string): RawBuilder<string | null> =>
  sql<string | null>`(
    select case when bool_and(leaver.deprovisioned_at is not null) then min(leaver.id)::text end
    from people as leaver
    where leaver.organization_id = ${sql.ref(`${row}.organization_id`)}
      and folded(leaver.email) = folded(${sql.ref(`${row}.email`)})
  )`
