import { createHash } from 'node:crypto'

export type ScheduledQuery = { query: string; intervalSeconds: number; snapshot: boolean }

export type AgentConfig = {
  /** Options as text, by name, as they were sent. */
  options: Record<string, string>
  schedule: Map<string, ScheduledQuery>
  hash: string
}

/** osquery's longest interval. */
const maxIntervalSeconds = 604_800
const families: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: ['linux', 'posix', 'any', 'all', ''],
  darwin: ['darwin', 'posix', 'any', 'all', ''],
  win32: ['windows', 'any', 'all', ''],
}

/** Reads a config answer for `platform`. What it does not know it leaves out; entries without sense are dropped. */
export function readConfig(body: Record<string, unknown>, platform: NodeJS.Platform): AgentConfig {
  const options: Record<string, string> = {}
  for (const [name, value] of Object.entries(asObject(body['options']))) {
    if (['string', 'number', 'boolean'].includes(typeof value)) options[name] = String(value)
  }
  const schedule = new Map<string, ScheduledQuery>()
  for (const [name, entry] of Object.entries(asObject(body['schedule']))) {
    const scheduled = readScheduled(asObject(entry), platform)
    if (scheduled) schedule.set(name, scheduled)
  }
  return { options, schedule, hash: createHash('sha1').update(JSON.stringify(body)).digest('hex') }
}

function readScheduled(entry: Record<string, unknown>, platform: NodeJS.Platform): ScheduledQuery | undefined {
  const { query, interval, snapshot, platform: wanted = '' } = entry
  const intervalSeconds = Number(interval)
  if (typeof query !== 'string' || query.trim() === '') return undefined
  if (!(intervalSeconds >= 1 && intervalSeconds <= maxIntervalSeconds)) return undefined
  const platforms = String(wanted).split(',')
  if (!platforms.some((each) => families[platform]?.includes(each.trim()))) return undefined
  return { query, intervalSeconds, snapshot: snapshot === true }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** An option in seconds as milliseconds, within bounds; `fallbackSeconds` when absent or no number. */
export function optionMs(
  options: Record<string, string>,
  name: string,
  fallbackSeconds: number,
  secondMs: number,
): number {
  const seconds = Number(options[name])
  return (seconds >= 1 && seconds <= 86_400 ? seconds : fallbackSeconds) * secondMs
}
