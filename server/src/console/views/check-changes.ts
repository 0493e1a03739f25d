import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

const maxOfDay = 3

/** The settings that decide which devices a check concerns, and what it means for them. */
const moving = [
  ...['paused', 'options', 'block_auth_grace_period_days', 'remediation_strategy', 'begins_blocking_on'],
  ...['targeted_groups', 'excluded_groups', 'blocking_allowed_groups', 'blocking_excluded_groups'],
]

/** Entries from before an action and changes were kept say it in their sentence alone. */
const mayMove = sql<boolean>`case
  when action = 'check.configured' then exists (
    select from jsonb_array_elements(changes) as change where change ->> 'field' = any(${sql.lit(`{${moving.join()}}`)}::text[])
  )
  when action is not null then true
  else description not like 'Updated %' or description ~ ${sql.lit(`[:;] (${moving.join('|')}) from `)}
end`

/** Word for word the condition of an index of few. */
const isOfCheck = sql<boolean>`description ~ '^(Updated the configuration of|Added|Deleted) the check "'`

const listChanges = (reader: Reader, organizationId: string, from: string) =>
  reader
    .selectFrom((build) =>
      build
        .selectFrom((inner) =>
          inner
            .selectFrom('audit_logs')
            .select(['id', 'timestamp', 'description', 'about'])
            .select([
              sql<string>`(timestamp at time zone 'UTC')::date::text`.as('day'),
              sql<boolean>`description like 'Updated %'`.as('is_update'),
            ])
            .where(inOrganization('audit_logs', organizationId))
            .where('timestamp', '>=', from)
            .where(isOfCheck)
            .where(mayMove)
            .as('found'),
        )
        .selectAll('found')
        .select([
          sql<number>`count(*) over (partition by day)::int`.as('of_day'),
          sql<number>`row_number() over (partition by day order by is_update desc, id desc)::int`.as('place'),
        ])
        .as('placed'),
    )
    .select(['id', 'timestamp', 'description', 'about', 'day', 'of_day'])
    .where('place', '<=', sql.lit(maxOfDay))
    .orderBy('day')
    .orderBy('place')
    .execute()

type Change = Awaited<ReturnType<typeof listChanges>>[number]

/** What was changed about checks since a moment, by day, the oldest first; a few of each day with the number of the rest. */
export async function listCheckChanges(
  reader: Reader,
  organizationId: string,
  from: string,
): Promise<ConsoleSummary['changes']> {
  const days: ConsoleSummary['changes'] = []
  for (const row of await listChanges(reader, organizationId, from)) {
    if (days.at(-1)?.day !== row.day) days.push({ day: row.day, changes: [], more: row.of_day })
    const day = days.at(-1)
    if (day === undefined) continue
    day.changes.push(presentChange(row))
    day.more -= 1
  }
  return days
}

const presentChange = ({ id, timestamp, description, about }: Change) => ({
  audit_log_id: id,
  check_id: about?.find((key) => key.startsWith('check:'))?.slice('check:'.length) ?? null,
  check_name: /^[^"]*"(.*?)"(?:: |\.$)/s.exec(description)?.[1] ?? '',
  timestamp,
  description,
})
