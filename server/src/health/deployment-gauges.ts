import { setTimeout as pause } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { Connection } from '../base/db/connect.ts'
import { type DeploymentSurvey, surveyDeployment } from './survey-deployment.ts'
import { readBackgroundStatus } from './worker-heartbeats.ts'

/** Scrapes closer together than this see the same figures, so that any number of scrapers costs one survey. */
const surveyedEveryMs = 15_000
/** Prometheus waits ten seconds, and other figures do not need the database. */
const readLimitMs = 5_000

/**
 * What an operator watches, over all organizations: each process that serves metrics gives the same figures, so take
 * their maximum, not their sum. Registered by the process that serves metrics.
 */
export function deploymentGauges(connection: Connection, monotonicMs: () => number = () => performance.now()): Gauge[] {
  const survey = remembered(() => surveyDeployment(connection.db), monotonicMs)
  const gauge = (name: string, help: string, labelNames: string[], read: (gauge: Gauge) => Promise<void>) =>
    new Gauge({
      name: `muster_${name}`,
      help,
      labelNames,
      registers: [],
      async collect() {
        await within(readLimitMs, read(this)).catch(() => clear(this, labelNames))
      },
    })
  const surveyed = (
    name: string,
    help: string,
    labelNames: string[],
    read: (gauge: Gauge, of: DeploymentSurvey) => void,
  ) => gauge(name, help, labelNames, async (own) => read(own, await survey()))
  return [
    // First, since those after it use connections themselves.
    gauge(
      'database_connections',
      'Connections of this process to PostgreSQL by state: used, idle; and waiting for requests that wait for one.',
      ['state'],
      async (own) => {
        for (const [state, count] of Object.entries(connection.poolUse() ?? {})) own.set({ state }, count)
      },
    ),
    surveyed('devices', 'Devices by auth state, deleted ones left out.', ['state'], (own, { devices }) => {
      for (const [state, count] of Object.entries(devices)) own.set({ state }, count)
    }),
    surveyed('open_issues', 'Issues that are not resolved.', [], (own, { openIssues }) => own.set(openIssues)),
    surveyed('database_size_bytes', 'Size of the database on its disk.', [], (own, { databaseBytes }) =>
      own.set(databaseBytes),
    ),
    surveyed(
      'receivers',
      'Streams and webhook endpoints that are on, by kind and status (ok, failing). Whether a poll receiver fails is not known.',
      ['kind', 'status'],
      (own, of) => {
        for (const [kind, { receivers, failing }] of backlogsOf(of)) {
          own.set({ kind, status: 'ok' }, receivers - failing)
          own.set({ kind, status: 'failing' }, failing)
        }
      },
    ),
    surveyed(
      'pending_events',
      'Events that wait for a receiver that is on, by kind; counted up to 10,000 for each receiver.',
      ['kind'],
      (own, of) => {
        for (const [kind, { pending }] of backlogsOf(of)) own.set({ kind }, pending)
      },
    ),
    surveyed(
      'oldest_pending_event_age_seconds',
      'Age of the event that has waited longest for a receiver that is on, by kind; 0 when none waits.',
      ['kind'],
      (own, of) => {
        for (const [kind, { oldestSeconds }] of backlogsOf(of)) own.set({ kind }, oldestSeconds)
      },
    ),
    surveyed('jobs', 'Background jobs by state, as counted every ten seconds.', ['state'], (own, { jobs }) => {
      for (const [state, count] of Object.entries(jobs)) own.set({ state }, count)
    }),
    gauge('workers', 'Processes that have worked in the background within the last 30 seconds.', [], async (own) => {
      own.set((await readBackgroundStatus(connection.db)).workers)
    }),
    gauge(
      'background_silence_seconds',
      'Seconds since any process last settled what was due, such as deadlines that block devices; absent before the first time.',
      [],
      async (own) => {
        const { silentForSeconds } = await readBackgroundStatus(connection.db)
        if (silentForSeconds === null) own.remove()
        else own.set(silentForSeconds)
      },
    ),
    gauge(
      'embedded_heap_bytes',
      'Heap of the embedded database engine: main, and isolated for the one that runs reporting queries.',
      ['engine'],
      async (own) => {
        for (const [engine, bytes] of Object.entries(connection.heapUse() ?? {})) own.set({ engine }, bytes)
      },
    ),
  ]
}

const backlogsOf = ({ streams, webhooks }: DeploymentSurvey) => [
  ...Object.entries(streams).map(([delivery, backlog]) => [`${delivery}_stream`, backlog] as const),
  ['webhook', webhooks] as const,
]

/** A figure that cannot be read is absent, which is not the same as 0. */
function clear(gauge: Gauge, labelNames: readonly string[]): void {
  gauge.reset()
  if (labelNames.length === 0) gauge.remove()
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const late = pause(limitMs, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new Error('The database did not answer in time')
  })
  late.catch(() => {})
  await Promise.race([work, late]).finally(() => timer.abort())
}

function remembered<Value>(read: () => Promise<Value>, monotonicMs: () => number): () => Promise<Value> {
  let latest: { at: number; value: Promise<Value> } | undefined
  return () => {
    if (!latest || monotonicMs() - latest.at >= surveyedEveryMs) {
      const value = read()
      const own = { at: monotonicMs(), value }
      latest = own
      value.catch(() => {
        if (latest === own) latest = undefined
      })
    }
    return latest.value
  }
}
