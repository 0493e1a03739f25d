import { sql } from 'kysely'
import type { Db } from '../base/db/transact.ts'
import { jobsSchema } from '../base/jobs/queue-defaults.ts'

export type DeploymentSurvey = {
  /** By `auth_state`; deleted devices are left out. */
  devices: Record<string, number>
  openIssues: number
  databaseBytes: number
  /** By `push` and `poll`; streams that are on. */
  streams: Record<string, Backlog>
  webhooks: Backlog
  /** By state of the job queue, as its supervisor last counted them. */
  jobs: { queued: number; active: number; deferred: number }
}

export type Backlog = {
  /** Receivers that are switched on, and those of them that fail now. */
  receivers: number
  failing: number
  /** Pending events, counted up to 10,000 for each receiver. */
  pending: number
  /** Age of the oldest pending event in seconds; 0 when nothing is pending. */
  oldestSeconds: number
}

const countedAtMost = 10_000
const nothing: Backlog = { receivers: 0, failing: 0, pending: 0, oldestSeconds: 0 }

/** How the whole deployment stands, over all organizations; a handful of statements, for metrics. */
export async function surveyDeployment(db: Db): Promise<DeploymentSurvey> {
  const [devices, openIssues, databaseBytes, streams, webhooks, jobs] = [
    await countDevices(db),
    await countOpenIssues(db),
    await measureDatabase(db),
    await surveyStreamBacklogs(db),
    await surveyWebhookBacklog(db),
    await countJobs(db),
  ]
  return { devices, openIssues, databaseBytes, streams, webhooks, jobs }
}

async function countDevices(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: string; count: number }>`
    select auth_state as state, count(*)::integer as count from devices where deleted_at is null group by 1`.execute(db)
  const counted = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  return { good: 0, notified: 0, will_block: 0, blocked: 0, ...counted }
}

async function countOpenIssues(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from issues where resolved_at is null`.execute(db)
  return rows[0]?.count ?? 0
}

async function measureDatabase(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

async function surveyStreamBacklogs(db: Db): Promise<Record<string, Backlog>> {
  const { rows } = await sql<Backlog & { delivery: string }>`
    select ssf_streams.delivery_type as delivery, count(*)::integer as receivers,
      (count(*) filter (where head.failing_since is not null and ssf_streams.delivery_type = 'push'))::integer as failing,
      coalesce(sum(waiting.pending), 0)::integer as pending,
      coalesce(extract(epoch from clock_timestamp() - min(waiting.oldest)), 0)::float8 as "oldestSeconds"
    from ssf_streams
    join ssf_stream_deliveries as head
      on head.organization_id = ssf_streams.organization_id and head.stream_id = ssf_streams.id
    cross join lateral (
      select count(*) as pending, min(queued_at) as oldest from (
        select queued_at from ssf_stream_events as event
        where event.organization_id = ssf_streams.organization_id and event.stream_id = ssf_streams.id
          and event.state = 'pending'
        order by event.id limit ${sql.lit(countedAtMost)}
      ) as counted
    ) as waiting
    where ssf_streams.deleted_at is null and ssf_streams.status = 'enabled'
    group by 1`.execute(db)
  const found = Object.fromEntries(rows.map(({ delivery, ...backlog }) => [delivery, backlog]))
  return { push: nothing, poll: nothing, ...found }
}

async function surveyWebhookBacklog(db: Db): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select count(*)::integer as receivers,
      (count(*) filter (where standing.failing_since is not null))::integer as failing,
      coalesce(sum(waiting.pending), 0)::integer as pending,
      coalesce(extract(epoch from clock_timestamp() - min(waiting.oldest)), 0)::float8 as "oldestSeconds"
    from webhook_endpoints
    join webhook_standings as standing
      on standing.organization_id = webhook_endpoints.organization_id and standing.endpoint_id = webhook_endpoints.id
    cross join lateral (
      select count(*) as pending, min(queued_at) as oldest from (
        select queued_at from webhook_deliveries as delivery
        where delivery.organization_id = webhook_endpoints.organization_id
          and delivery.endpoint_id = webhook_endpoints.id and delivery.state = 'pending'
        order by delivery.id limit ${sql.lit(countedAtMost)}
      ) as counted
    ) as waiting
    where webhook_endpoints.deleted_at is null and webhook_endpoints.disabled_at is null`.execute(db)
  return rows[0] ?? nothing
}

async function countJobs(db: Db): Promise<DeploymentSurvey['jobs']> {
  const { rows } = await sql<DeploymentSurvey['jobs']>`
    select coalesce(sum(queued_count), 0)::integer as queued, coalesce(sum(active_count), 0)::integer as active,
      coalesce(sum(deferred_count), 0)::integer as deferred
    from ${sql.table(`${jobsSchema}.queue`)}`.execute(db)
  return rows[0] ?? { queued: 0, active: 0, deferred: 0 }
}
