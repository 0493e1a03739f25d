import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

export const topics = ['devices', 'issues', 'requests', 'sign_ins', 'live_queries', 'audit'] as const
export type Topic = (typeof topics)[number]

/** A text that represents the state of each topic; another text means that something has changed. */
export type Marks = Readonly<Record<Topic, string>>

/** How far back to look for events that may still be committed behind the newest. */
const eventsBack = 500
const campaignsWatched = 20

/**
 * The marks of an organization, by one statement that reads a bounded number of index entries. Numbers of events are
 * given before their transactions commit, so they are also counted: one that comes late changes the count.
 */
export async function readMarks(db: Db, organizationId: string): Promise<Marks> {
  const { rows } = await sql<{ topic: Topic; mark: string }>`
    with newest as (
      select coalesce(max(id), 0) - ${eventsBack} as after_id from events where organization_id = ${organizationId}
    ), recent as (
      select case
          when type like 'issues.%' then 'issues'
          when type like 'requests.%' then 'requests'
          when type like 'auth_logs.%' then 'sign_ins'
          else 'devices' end as topic,
        id
      from events, newest where organization_id = ${organizationId} and id > after_id
    ), campaigns as (
      select id, revision from live_query_campaigns
      where organization_id = ${organizationId} and results_dropped_at is null
      order by organization_id desc, created_at desc, id desc limit ${campaignsWatched}
    )
    select topic, max(id) || '/' || count(*) as mark from recent group by topic
    union all select 'audit', last_id::text from audit_heads where organization_id = ${organizationId}
    union all select 'live_queries', coalesce(string_agg(campaign || ':' || answers, ' ' order by campaign), '') from (
      select campaigns.id || '.' || campaigns.revision as campaign, coalesce(sum(successful + errored), 0) as answers
      from campaigns left join live_query_tallies as tally
        on tally.organization_id = ${organizationId} and tally.campaign_id = campaigns.id
      group by campaigns.id, campaigns.revision) as answered`.execute(db)
  const known = new Map(rows.map(({ topic, mark }) => [topic, mark]))
  return Object.fromEntries(topics.map((topic) => [topic, known.get(topic) ?? ''])) as Record<Topic, string>
}

export const changedTopics = (before: Marks, now: Marks): Topic[] =>
  topics.filter((topic) => before[topic] !== now[topic])
