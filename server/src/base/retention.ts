import { type Retained, retention } from '@muster/contract/retention.ts'
import { type RawBuilder, sql } from 'kysely'
import { dayMs } from './time.ts'

/** How long what is kept that is not kept for good, and that no organization chooses itself. */
export const keptMs = {
  /** Events of changes, after they happened. */
  events: 30 * dayMs,
  /** Figures of days, so that a year can be compared with the one before. */
  complianceDays: 400 * dayMs,
  /** Which device stood how on a day: those that the dashboard shows. */
  deviceStandings: 31 * dayMs,
  /** Sessions and links of administrators, after they ended. */
  adminSessions: 30 * dayMs,
  /** Keys of companions that were never linked, after they enrolled: a laptop may wait over a weekend for its osquery. */
  unlinkedCompanionKeys: 3 * dayMs,
} as const

/**
 * The moment before which what an organization keeps for as long as it chose is old. `organization` is its identifier, or
 * the column that has it.
 */
export const oldBefore = (what: Retained, organization: RawBuilder<unknown>, now: string): RawBuilder<string> => sql`(
  ${now}::timestamptz - interval '24 hours' * coalesce((
    select ${sql.ref(`settings.${what}_days`)} from organization_settings as settings
    where settings.organization_id = ${organization}
  ), ${sql.lit(retention[what].usual)})
)`

/** The latest of those moments of all organizations: reading up to it passes by nothing that everyone still keeps. */
export const oldSomewhereBefore = (what: Retained, now: string): RawBuilder<string> => sql`(
  ${now}::timestamptz - interval '24 hours' * (
    select least(${sql.lit(retention[what].usual)}, min(${sql.ref(`settings.${what}_days`)}))
    from organization_settings as settings
  )
)`
