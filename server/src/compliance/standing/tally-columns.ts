import { sql } from 'kysely'
import { countedStatuses } from './rules.ts'

/** How many devices a check is counted on, and how many of them have which result. For a query that groups by check. */
export const tallyColumns = (['counted', ...countedStatuses] as const).map((column) =>
  sql<number>`coalesce(sum(${sql.ref(`check_tallies.${column}`)}), 0)::int`.as(column),
)
