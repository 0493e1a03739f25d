import { sql } from 'kysely'
import type { Tx } from '../db/transact.ts'
import type { JobData, JobName } from './job-data.ts'
import { queueDefaults } from './queue-defaults.ts'

export type QueueJobOptions = {
  /** At most one job of this key waits at a time; one that is already being worked on does not count. */
  singletonKey?: string
  startAfterSeconds?: number
}

/**
 * Queues a job that exists once `tx` commits. Returns its id, or undefined when a job of the same singletonKey is
 * already waiting. Needs no running worker, only the tables that `installJobs` makes.
 */
export async function queueJob<Name extends JobName>(
  tx: Tx,
  name: Name,
  data: JobData[Name],
  options: QueueJobOptions = {},
): Promise<string | undefined> {
  const id = await insertJob(tx, name, data, options)
  if (id !== undefined || (await hasQueue(tx, name))) return id
  await sql`select pgboss.create_queue(${name}, ${JSON.stringify(queueDefaults)}::jsonb)`.execute(tx)
  return insertJob(tx, name, data, options)
}

/**
 * pg-boss's own insert needs a started instance; this is the same row. The policy is the job's, not its queue's:
 * pg-boss's index of `short` jobs makes the key unique among those waiting. The notification wakes the workers at
 * commit, on the channel that pg-boss derives from its schema's name.
 */
async function insertJob(
  tx: Tx,
  name: string,
  data: object,
  { singletonKey, startAfterSeconds = 0 }: QueueJobOptions,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with inserted as (
      insert into pgboss.job (
        name, data, start_after, keep_until, singleton_key, policy, expire_seconds, deletion_seconds,
        retry_limit, retry_delay, retry_backoff, retry_delay_max, dead_letter, heartbeat_seconds
      )
      select q.name, ${JSON.stringify(data)}::jsonb, starts.at, starts.at + q.retention_seconds * interval '1 second',
        ${singletonKey ?? null}::text, ${singletonKey === undefined ? queueDefaults.policy : 'short'},
        q.expire_seconds, q.deletion_seconds,
        q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max, q.dead_letter, q.heartbeat_seconds
      from pgboss.queue q,
        lateral (select pgboss.job_now() + ${startAfterSeconds}::float8 * interval '1 second' as at) starts
      where q.name = ${name}
      on conflict do nothing
      returning id
    )
    select id, case when ${startAfterSeconds}::float8 = 0
      then pg_notify('pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24), ${name}) end
    from inserted`.execute(tx)
  return rows[0]?.id
}

/** Whether a job of this singletonKey waits, to be repeated as well, or is being worked on. */
export async function hasOpenJob(tx: Tx, name: JobName, singletonKey: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pgboss.job
    where name = ${name} and singleton_key = ${singletonKey} and state in ('created', 'retry', 'active')
    limit 1`.execute(tx)
  return rows.length > 0
}

async function hasQueue(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql`select 1 from pgboss.queue where name = ${name}`.execute(tx)
  return rows.length > 0
}
