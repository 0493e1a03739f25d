import { CompiledQuery } from 'kysely'
import { type Db as BossDatabase, type ConstructorOptions, PgBoss, type Job as PgBossJob } from 'pg-boss'
import type { Connection } from '../db/connect.ts'
import type { JobData, JobName } from './job-data.ts'
import { jobsSchema, queueDefaults } from './queue-defaults.ts'

export type Job<Data = unknown> = { id: string; data: Data }

/**
 * Called at least once for each job: a rejection, or a process that dies, has it tried again, so it must be idempotent.
 * `signal` is aborted when the process is to stop; a job that is then under way is tried again.
 */
export type JobHandler<Data = unknown> = (job: Job<Data>, signal: AbortSignal) => Promise<void>

/** A handler for each job that is queued. */
export type JobHandlers = { readonly [Name in JobName]: JobHandler<JobData[Name]> }

/** When `cron` (five fields, UTC) is due, the job is queued once, no matter which process notices. */
export type ScheduledJob = { readonly cron: string; readonly run: (signal: AbortSignal) => Promise<unknown> }

export type Jobs = {
  /** Interrupts the handlers that are running and waits for them, up to 30 seconds. */
  stop(): Promise<void>
}

export type JobSettings = {
  queued: Partial<JobHandlers>
  /** By name. */
  scheduled?: Readonly<Record<string, ScheduledJob>>
  /** How many jobs of a name are worked on at the same time in this process; 1 for those that are not here. */
  atOnce?: Readonly<Record<string, number>>
  onError: (error: Error) => void
  /** How often a worker looks for jobs without being notified of one; 5 unless given. */
  pollSeconds?: number
}

/** Jobs fetched at once, and worked on one after another: measured 500 times the rate of fetching singly. */
const batchSize = 50
/** How often one process looks for jobs of processes that died, for all. */
const superviseEverySeconds = 10

/** Installs the job tables, or brings them up to date; several processes may do so at once. */
export async function installJobs(connection: Connection): Promise<void> {
  const boss = openBoss(connection, { supervise: false, schedule: false }, () => {})
  await boss.start()
  await boss.stop({ graceful: false })
}

/** Installs the job tables if need be, and works through the named jobs and schedules until stopped. */
export async function startJobs(connection: Connection, settings: JobSettings): Promise<Jobs> {
  const { queued, scheduled = {}, atOnce = {}, onError, pollSeconds = 5 } = settings
  const stopping = new AbortController()
  const supervision = { superviseIntervalSeconds: superviseEverySeconds, monitorIntervalSeconds: superviseEverySeconds }
  const boss = openBoss(connection, { useListenNotify: true, ...supervision }, onError)
  try {
    await boss.start()
    for (const [name, handler] of [...handlersOf(queued), ...runsOf(scheduled)]) {
      await openQueue(boss, name)
      await boss.work(
        name,
        { ...workersOf(atOnce[name] ?? 1), perJobResults: true, pollingIntervalSeconds: pollSeconds },
        (jobs: PgBossJob<unknown>[]) => workThrough(jobs, handler, onError, stopping.signal),
      )
    }
    await applySchedules(boss, scheduled)
  } catch (error) {
    // Its timers would keep the process, which does nothing else.
    await boss.stop({ graceful: false }).catch(onError)
    throw error
  }
  return {
    async stop() {
      stopping.abort()
      await boss.stop({ graceful: true, timeout: 30_000 })
    },
  }
}

/** What a job was queued with is stored by `queueJob` alone, which takes what the handler of its name expects. */
const handlersOf = (queued: Partial<JobHandlers>) => Object.entries(queued) as (readonly [string, JobHandler])[]

const runsOf = (scheduled: Readonly<Record<string, ScheduledJob>>) =>
  Object.entries(scheduled).map(([name, { run }]) => {
    const handler: JobHandler = async (_job, signal) => {
      await run(signal)
    }
    return [name, handler] as const
  })

/** Several workers take one job each: a batch would wait behind its first. */
const workersOf = (count: number) =>
  count === 1 ? { batchSize, burstWhenBatchFull: true } : { batchSize: 1, localConcurrency: count }

/** A queue of an earlier version is given what its jobs have by now. */
async function openQueue(boss: PgBoss, name: string): Promise<void> {
  await boss.createQueue(name, queueDefaults)
  const { policy: _policy, ...changeable } = queueDefaults
  await boss.updateQueue(name, changeable)
}

function openBoss(connection: Connection, options: ConstructorOptions, onError: (error: Error) => void): PgBoss {
  const boss = new PgBoss({
    schema: jobsSchema,
    backend: connection.engine,
    db: bossDatabase(connection),
    // Idle polling has to stay far below what it costs the embedded engine: well under one statement a second.
    cronWorkerIntervalSeconds: 15,
    flowIntervalSeconds: 300,
    ...options,
  })
  boss.on('error', onError)
  return boss
}

/** pg-boss's statements on our connection: without values they are scripts of several statements. */
function bossDatabase({ db, executeScript, listen }: Connection): BossDatabase {
  return {
    async executeSql(text, values = []) {
      if (values.length === 0) return { rows: await executeScript(text) }
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
      return { rows }
    },
    async listen(channel, onNotification, onReconnect) {
      const close = await listen(channel, onNotification, onReconnect)
      onReconnect()
      return { close }
    },
  }
}

/** One after another, each with its own outcome, so that one failure does not repeat the rest of the batch. */
async function workThrough(
  jobs: PgBossJob<unknown>[],
  handler: JobHandler,
  onError: (error: Error) => void,
  stopping: AbortSignal,
) {
  const results: { id: string; status: 'completed' | 'failed'; output?: object }[] = []
  for (const { id, name, data, signal } of jobs) {
    try {
      if (!stopping.aborted) await handler({ id, data }, AbortSignal.any([signal, stopping]))
      // Whether the handler was done or gave up early is not known: once more does no harm.
      if (stopping.aborted) results.push({ id, status: 'failed', output: { message: 'The process was stopped' } })
      else results.push({ id, status: 'completed' })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      onError(new Error(`The job ${name} failed: ${message}`, { cause: error }))
      results.push({ id, status: 'failed', output: { message } })
    }
  }
  return results
}

/** The schedules are exactly the ones given: those of earlier versions are removed. */
async function applySchedules(boss: PgBoss, scheduled: Readonly<Record<string, ScheduledJob>>): Promise<void> {
  for (const { name } of await boss.getSchedules()) {
    if (!Object.hasOwn(scheduled, name)) await boss.unschedule(name)
  }
  for (const [name, { cron }] of Object.entries(scheduled)) await boss.schedule(name, cron, {}, { tz: 'UTC' })
}
