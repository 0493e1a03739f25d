import { isRecord } from './agent-answer.ts'
import type { Platform } from './operating-systems.ts'
import { fractionOf, hashOf, hashOfText } from './seeded.ts'

export type Intervals = { configMs: number; distributedMs: number; logMs: number }

export type ScheduledQuery = {
  name: string
  hash: number
  sql: string
  intervalMs: number
  isSnapshot: boolean
  platforms: Platform[]
  shard: number
}

/** What a device keeps of a configuration. Equal texts share one plan. */
export type ConfigPlan = {
  intervals: Intervals
  isDistributedDisabled: boolean
  linesPerLog: number
  decoratorQueries: string[]
  schedule: ScheduledQuery[]
}

/** osquery cannot be told its `config_refresh` by a configuration; our packages' flag file says 300 s. */
const usualIntervals: Intervals = { configMs: 300_000, distributedMs: 60_000, logMs: 60_000 }

export function parseConfig(body: Record<string, unknown>, overrides: Partial<Intervals>): ConfigPlan {
  const options = isRecord(body['options']) ? body['options'] : {}
  return {
    intervals: {
      configMs: overrides.configMs ?? usualIntervals.configMs,
      distributedMs:
        overrides.distributedMs ?? seconds(options['distributed_interval']) ?? usualIntervals.distributedMs,
      logMs: overrides.logMs ?? seconds(options['logger_tls_period']) ?? usualIntervals.logMs,
    },
    isDistributedDisabled: options['disable_distributed'] === true,
    linesPerLog: positive(options['logger_tls_max_lines']) ?? 1024,
    decoratorQueries: decoratorQueries(body['decorators']),
    schedule: scheduledQueries(body, options['pack_delimiter']),
  }
}

/**
 * The scheduled queries of one device that came due in (fromMs, toMs]; all of them when it never reported, where a
 * real agent would first let one interval of uptime pass.
 */
export function dueQueries(
  plan: ConfigPlan,
  device: { seed: number; index: number; platform: Platform },
  fromMs: number,
  toMs: number,
): ScheduledQuery[] {
  return plan.schedule.filter((query) => {
    if (!query.platforms.includes(device.platform)) return false
    if (hashOf(device.seed, device.index, query.hash, 1) % 100 >= query.shard) return false
    if (fromMs < 0) return true
    const shiftMs = fractionOf(device.seed, device.index, query.hash, 2) * query.intervalMs
    return Math.floor((toMs + shiftMs) / query.intervalMs) > Math.floor((fromMs + shiftMs) / query.intervalMs)
  })
}

function scheduledQueries(body: Record<string, unknown>, delimiter: unknown): ScheduledQuery[] {
  const between = typeof delimiter === 'string' ? delimiter : '_'
  const found = queriesIn(body['schedule'], '', {})
  if (!isRecord(body['packs'])) return found
  for (const [name, pack] of Object.entries(body['packs'])) {
    if (isRecord(pack)) found.push(...queriesIn(pack['queries'], `pack${between}${name}${between}`, pack))
  }
  return found
}

function queriesIn(queries: unknown, prefix: string, pack: Record<string, unknown>): ScheduledQuery[] {
  if (!isRecord(queries)) return []
  return Object.entries(queries).flatMap(([name, query]) => {
    if (!isRecord(query)) return []
    const [sql, intervalMs] = [query['query'], seconds(query['interval'])]
    if (typeof sql !== 'string' || intervalMs === undefined) return []
    return {
      name: prefix + name,
      hash: hashOfText(prefix + name),
      sql,
      intervalMs,
      isSnapshot: query['snapshot'] === true,
      platforms: platformsOf(query['platform'] ?? pack['platform']),
      shard: positive(query['shard'] ?? pack['shard']) ?? 100,
    }
  })
}

function platformsOf(names: unknown): Platform[] {
  if (typeof names !== 'string' || names === '' || /\b(?:any|all)\b/.test(names)) return ['darwin', 'windows', 'linux']
  const found: Platform[] = []
  if (/\b(?:darwin|posix)\b/.test(names)) found.push('darwin')
  if (/\bwindows\b/.test(names)) found.push('windows')
  if (/\b(?:linux|posix|ubuntu|debian|centos|rhel)\b/.test(names)) found.push('linux')
  return found
}

function decoratorQueries(decorators: unknown): string[] {
  const load = isRecord(decorators) ? decorators['load'] : undefined
  return Array.isArray(load) ? load.filter((sql) => typeof sql === 'string') : []
}

function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && number > 0 ? number : undefined
}

function seconds(value: unknown): number | undefined {
  const number = positive(value)
  return number === undefined ? undefined : number * 1000
}
