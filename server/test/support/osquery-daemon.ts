import type { osqueryClient, QueryResult } from './osquery-client.ts'

type Client = ReturnType<typeof osqueryClient>
type Clock = { now: () => string; pass: (seconds: number) => string }

type Machine = {
  answer: (sql: string) => QueryResult
  /** Queries that take so much of the processor that the watchdog ends the process. */
  isHeavy?: (sql: string) => boolean
  /** Whether the network is away. */
  isAway?: () => boolean
  /** Agents before 5.5 run a query again that has ended them. */
  hasDenyList?: boolean
  /** How long a heavy query runs until the process is gone, in seconds: 48 to 60 were seen, and 4 more until it is killed. */
  watchdogSeconds?: number
}

/** The pause before another process starts. */
const respawnSeconds = 5
const deniedMs = 86_400_000
const acceleratedSeconds = 5
const configSeconds = 300
const failedConfigSeconds = 60
const denied = { status: 1, message: 'distributed query is denylisted' }

type Line = Record<string, unknown>
type Scheduled = { query: string; interval: number }
type Options = Record<'distributed_interval' | 'logger_tls_period' | 'logger_tls_max_lines', number> & {
  logger_tls_backoff_max?: number
}

/**
 * A daemon with the habits of osquery 5.23 by the clock of a test (`osquery/distributed`, `osquery/dispatcher` and
 * `plugins/logger/buffered.cpp`, and as it was seen to run): questions are on its disk and run in the order of their names, answers
 * are in memory until all have run, and one heavy query costs them all.
 */
export function osqueryDaemon(client: Client, clock: Clock, machine: Machine) {
  const { answer, isHeavy = () => false, isAway = () => false, hasDenyList = true, watchdogSeconds = 52 } = machine
  const nowMs = () => Date.parse(clock.now())
  const disk = new Map<string, string>()
  const refused = new Map<string, number>()
  const buffer: { result: Line[]; status: Line[] } = { result: [], status: [] }
  const flushedAt: string[] = []
  let answers: Record<string, QueryResult> = {}
  let options: Options = { distributed_interval: 60, logger_tls_period: 60, logger_tls_max_lines: 1_024 }
  let schedule: Record<string, Scheduled> = {}
  let [accelerateUntilMs, nextPollMs, nextConfigMs, nextFlushMs, failures] = [0, 0, 0, nowMs(), 0]

  const isRefused = (key: string) => nowMs() - (refused.get(key) ?? Number.NEGATIVE_INFINITY) < deniedMs

  /** What only memory has is gone: answers, and where the pauses of the threads were. */
  function end(key: string): void {
    const startedAtMs = nowMs()
    clock.pass(watchdogSeconds)
    if (hasDenyList) refused.set(key, startedAtMs)
    answers = {}
    client.forget()
    clock.pass(respawnSeconds)
    ;[nextPollMs, nextConfigMs, failures] = [0, 0, 0]
  }

  /** Whether the process is still there. */
  function runAll(): boolean {
    for (const name of [...disk.keys()].sort()) {
      const sql = disk.get(name) ?? ''
      disk.delete(name)
      if (isRefused(sql)) answers[name] = denied
      else if (isHeavy(sql)) {
        end(sql)
        return false
      } else answers[name] = answer(sql)
    }
    return true
  }

  async function poll(): Promise<void> {
    if (!isAway()) {
      const { queries, accelerate } = await client.read()
      for (const [name, sql] of Object.entries(queries)) disk.set(name, sql)
      if (typeof accelerate === 'number') accelerateUntilMs = nowMs() + accelerate * 1000
    }
    if (!runAll()) return
    if (Object.keys(answers).length > 0 && !isAway() && (await client.write(answers)).accepted) answers = {}
    const pause = nowMs() <= accelerateUntilMs ? acceleratedSeconds : options.distributed_interval
    nextPollMs = nowMs() + pause * 1000
  }

  async function refreshConfig(): Promise<void> {
    const verdict = isAway() ? undefined : await client.config()
    if (verdict?.accepted) {
      options = { ...options, ...(verdict.body['options'] as Options) }
      schedule = verdict.body['schedule'] as Record<string, Scheduled>
    }
    nextConfigMs = nowMs() + (verdict?.accepted ? configSeconds : failedConfigSeconds) * 1000
  }

  const stamp = () => ({ hostIdentifier: '4c4c4544', unixTime: Math.floor(nowMs() / 1000), decorations: {} })
  const say = (severity: number, message: string) => buffer.status.push({ ...stamp(), severity, message, line: 1 })

  /** A query starts when the clock is a multiple of its interval. */
  function runSchedule(): void {
    for (const [name, { query, interval }] of Object.entries(schedule)) {
      if (Math.floor(nowMs() / 1000) % interval !== 0 || isRefused(name)) continue
      if (isHeavy(query)) {
        end(name)
        say(1, `Scheduled query may have failed: ${name}`)
        return
      }
      const { rows = [], status = 0, message = '' } = answer(query)
      if (status !== 0) say(2, `Error executing scheduled query ${name}: ${message}`)
      else buffer.result.push({ ...stamp(), name, action: 'snapshot', snapshot: rows, epoch: 0, counter: 0 })
    }
  }

  /** The same lines again until they are taken, after longer and longer pauses. */
  async function flush(): Promise<void> {
    const { logger_tls_period: period, logger_tls_max_lines: most, logger_tls_backoff_max: longest = 3_600 } = options
    for (const type of ['result', 'status'] as const) {
      const lines = buffer[type].slice(0, most)
      if (lines.length === 0) continue
      const isTaken = !isAway() && (await client.log(type, lines)).accepted
      failures = isTaken ? 0 : failures + 1
      if (!isTaken) break
      buffer[type].splice(0, lines.length)
      if (type === 'result') flushedAt.push(clock.now())
    }
    const backoff = period * failures ** 2
    if (backoff > longest) failures -= 1
    nextFlushMs = nowMs() + Math.max(period, Math.min(backoff, longest)) * 1000
  }

  return {
    disk,
    buffer,
    /** When lines of tables were taken. */
    flushedAt,
    poll,
    /** Lives for so many seconds of the clock, or until `isDone`. */
    async live(seconds: number, isDone: () => Promise<boolean> = async () => false): Promise<void> {
      const endMs = nowMs() + seconds * 1000
      while (nowMs() < endMs) {
        if (nowMs() >= nextConfigMs) await refreshConfig()
        if (nowMs() >= nextPollMs) {
          await poll()
          if (await isDone()) return
        }
        runSchedule()
        if (nowMs() >= nextFlushMs) await flush()
        clock.pass(1)
      }
    },
  }
}
