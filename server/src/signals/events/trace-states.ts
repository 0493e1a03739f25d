import type { RemediationStrategy } from '@muster/contract/check-configurations.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

type Entry = {
  id: string
  actor_name: string
  description: string
  request_id: string | null
  /** What the check is for since, where the entry changed that. */
  strategy: RemediationStrategy | null
}

/** Entries of one cause may be as many as it has moved devices. */
const maxEntries = 5

/** What an event says that a change of state has to do with. */
type StateData = { from: string; to: string; initiator: string }

const strategy = sql`(
  select change ->> 'to' from jsonb_array_elements(done.changes) as change where change ->> 'field' = 'remediation_strategy'
)`

/**
 * What the audit log has of a change of state, of a query of \`events\`: the entries of the cause itself, the device's own first, and
 * of the changes before it that it was decided with. Of those about checks only what is about the one that it was decided for.
 */
export const causingEntries = sql<Entry[]>`coalesce((
  select jsonb_agg(jsonb_build_object('id', id::text, 'actor_name', actor_name, 'description', description,
    'request_id', request_id, 'strategy', strategy)) from (
    select id, actor_name, description, request_id, ${strategy} as strategy
    from audit_logs as done
    where done.organization_id = events.organization_id
      and (done.cause = events.cause or done.cause = any(
        array(select jsonb_array_elements_text(events.data #> '{decidedFor,earlierCauses}'))))
      and (done.about @> array['device:' || events.device_id]
        or not exists (select from unnest(done.about) as key where key like 'device:%'))
      and (done.about @> array['check:' || (events.data #>> '{decidedFor,checkId}')]
        or events.data #>> '{decidedFor,checkId}' is null
        or not exists (select from unnest(done.about) as key where key like 'check:%'))
    order by done.about @> array['device:' || events.device_id] desc, done.id desc limit ${sql.lit(maxEntries)}
  ) as found
), '[]')`

/** Issues of the device that were found or resolved with the change of its state. */
const issues = sql<{ what: 'new' | 'resolved'; title: string }[]>`coalesce((
  select jsonb_agg(jsonb_build_object('what', substr(type, 8), 'title', title)) from (
    select other.type, other.data ->> 'title' as title from events as other
    where other.organization_id = events.organization_id and other.device_id = events.device_id
      and other.cause = events.cause and other.type in ('issues.new', 'issues.resolved')
    order by other.id limit ${sql.lit(maxEntries)}
  ) as found
), '[]')`.as('issues')

export type TracedState = Awaited<ReturnType<typeof traceStates>>[number]

/** The latest changes of the state of a device, the newest first, each with its cause and what the audit log has of that. */
export const traceStates = (
  reader: Reader,
  { organizationId, deviceId }: { organizationId: string; deviceId: string },
  limit: number,
) =>
  reader
    .selectFrom('events')
    .select([
      'events.id',
      'events.cause',
      'events.occurred_at',
      sql<StateData>`events.data`.as('data'),
      causingEntries.as('entries'),
      issues,
    ])
    .where(inOrganization('events', organizationId))
    .where('events.device_id', '=', deviceId)
    .where('events.type', '=', 'device_trust.status_changed')
    .orderBy('events.id', 'desc')
    .limit(sql.lit(limit))
    .execute()
