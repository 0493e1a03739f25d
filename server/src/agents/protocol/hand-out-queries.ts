import type { InventoryQuery } from '../../reporting/catalogue/catalogue.ts'
import { inventoryQueryName } from '../../reporting/schedule-inventory.ts'
import { linkSqlOf } from '../companion-keys/link-file-rules.ts'
import type { AgentContext } from './agent-context.ts'
import { type Answer, success, unknownNodeKey } from './answers.ts'
import type { DeviceState } from './device-registry.ts'
import { type DueCheck, inOrderOfNeed, liveQueryKey, queriesPerRead, unansweredMs } from './due-rules.ts'
import { reloadDevice, stateOf } from './load-device.ts'
import { type HandedOutQuery, queryName } from './query-names.ts'
import { chooseForRead, isIdle, noteRead, takeLoss } from './read-under-way.ts'
import { recordRuns } from './record-runs.ts'
import { earliest, type LoadedDevice, linkEveryMs } from './settle-schedule.ts'

export const idleAnswer = '{"queries":{},"node_invalid":false}'

/** Seconds in which an agent polls every five seconds; osquery ignores anything but an integer. */
const accelerateSeconds = 30

/** The answer to a distributed read of a device that is known, or has just been loaded. */
export async function answerRead(context: AgentContext, found: DeviceState | LoadedDevice): Promise<Answer> {
  const device = stateOf(found)
  const nowMs = Date.parse(context.clock())
  if (!('device' in found) && isIdle(device, nowMs)) return success(idleAnswer)
  // What another process has recorded since is not lost, and is not asked again.
  const loaded = 'device' in found ? found : await reloadDevice(context, device)
  if (!loaded) return unknownNodeKey
  const loss = takeLoss(loaded.device, nowMs)
  if (loss === 'rest') {
    loaded.device.nextDueAtMs = 0
    return success(answerWith([], true))
  }
  const current = loss === 'none' ? loaded : await reloadDevice(context, loaded.device)
  return current ? success(await handOutQueries(context, current)) : unknownNodeKey
}

/** A live query goes alone: its answer would wait for the checks beside it, since one write carries all. */
function handOutQueries(context: AgentContext, loaded: LoadedDevice): Promise<string> {
  const nowMs = Date.parse(context.clock())
  const isLive = loaded.liveQueries.some(({ dueAtMs }) => dueAtMs <= nowMs)
  return isLive ? handOutLiveQueries(context, loaded, nowMs) : handOutChecks(context, loaded, nowMs)
}

async function handOutLiveQueries(context: AgentContext, loaded: LoadedDevice, nowMs: number): Promise<string> {
  const { device, checks, liveQueries, tables } = loaded
  const due = liveQueries.filter(({ dueAtMs }) => dueAtMs <= nowMs)
  const handedOut = chooseForRead(device, due, liveQueryKey)
  noteHandOut(device, handedOut.map(liveQueryKey), nowMs)
  device.nextDueAtMs =
    tables.length > 0 ? 0 : nextDue([...checks, ...liveQueries.filter((query) => !handedOut.includes(query))], nowMs)
  const found = await Promise.all(
    handedOut.map(async (query) => {
      const json = await context.statements.find(device.organization.id, query.campaignId, query.revision)
      return json === undefined ? [] : [{ query, json }]
    }),
  )
  const queries = found.flat()
  noteRead(
    device,
    queries.map(({ query }) => liveQueryKey(query)),
    nowMs,
  )
  const texts = queries.map(({ query: { campaignId, revision }, json }) => {
    const asked = { kind: 'campaign', id: campaignId, revision: String(revision), issuedAtMs: nowMs } as const
    return `"${nameFor(context, device, asked)}":${json}`
  })
  return answerWith(texts, true)
}

const keyOf = ({ check: { checkId } }: DueCheck): string => checkId

async function handOutChecks(context: AgentContext, loaded: LoadedDevice, nowMs: number): Promise<string> {
  const { device, checks, liveQueries, tables } = loaded
  const link = linkQuery(context, loaded, nowMs)
  const due = checks.filter(({ dueAtMs }) => dueAtMs <= nowMs).sort(inOrderOfNeed)
  if (due.length === 0 && tables.length === 0 && link.length === 0) return idleAnswer
  const [faulty, able] = [due.filter(isFaulty), due.filter((check) => !isFaulty(check))]
  const handedOut = chooseForRead(device, able, keyOf, ({ goesAlone }) => goesAlone)
  const noted = [...handedOut, ...faulty]
  noteHandOut(device, noted.map(keyOf), nowMs)
  const linkDue = loaded.linkDueAtMs === undefined ? [] : [{ dueAtMs: device.linkAskedAtMs + linkEveryMs }]
  const others = checks.filter((check) => !noted.includes(check))
  device.nextDueAtMs = nextDue([...others, ...liveQueries, ...linkDue], nowMs)
  const tablesAsked = able.length > 0 ? [] : chooseTables(device, tables)
  noteRead(device, [...handedOut.map(keyOf), ...tablesAsked.map(inventoryQueryName)], nowMs)
  if (tables.length > tablesAsked.length) device.nextDueAtMs = 0
  await recordFaults(context, device, faulty, new Date(nowMs).toISOString())
  const queries = handedOut.flatMap(({ check: { checkId, queryRevision, query } }) => {
    const asked = { kind: 'check', id: checkId, revision: queryRevision, issuedAtMs: nowMs } as const
    return 'json' in query ? `"${nameFor(context, device, asked)}":${query.json}` : []
  })
  queries.push(...tablesAsked.map((table) => `"${inventoryQueryName(table)}":${JSON.stringify(table.sql)}`))
  queries.push(...link)
  const isWorkLeft = able.length > handedOut.length || tables.length > tablesAsked.length
  return answerWith(queries, isWorkLeft || link.length > 0)
}

const isFaulty = ({ check }: DueCheck): boolean => 'fault' in check.query

/**
 * What of the first round is asked next. Tables are never in one read with checks, which people wait for: one that is too
 * heavy for the machine costs all answers to its read.
 */
function chooseTables(device: DeviceState, tables: readonly InventoryQuery[]): InventoryQuery[] {
  if (device.underWay && device.underWay.open.size > 0) return []
  const asked = chooseForRead(device, tables, inventoryQueryName)
  if (asked.length > 0) device.firstAsked ??= new Map()
  for (const name of asked.map(inventoryQueryName)) {
    device.firstAsked?.set(name, (device.firstAsked.get(name) ?? 0) + 1)
  }
  return asked
}

/** Asks for the files of companions that wait to be linked to this device. */
function linkQuery(context: AgentContext, { device, linkDueAtMs }: LoadedDevice, nowMs: number): string[] {
  if (linkDueAtMs === undefined || linkDueAtMs > nowMs) return []
  device.linkAskedAtMs = nowMs
  if (device.isUnconfirmed) context.askedUnconfirmed.note(device.nodeKey, true)
  const asked = { kind: 'link', id: device.deviceId, revision: '1', issuedAtMs: nowMs } as const
  return [`"${nameFor(context, device, asked)}":${JSON.stringify(linkSqlOf(device.deviceType))}`]
}

/** Of a device that reads and never writes, no more than these are remembered. */
const maxNames = 3 * queriesPerRead

function nameFor({ secrets }: AgentContext, device: DeviceState, asked: HandedOutQuery): string {
  const name = queryName(secrets, { organizationId: device.organization.id, deviceId: device.deviceId }, asked)
  if (!device.names || device.names.size >= maxNames) device.names = new Set()
  device.names.add(name)
  return name
}

function answerWith(queries: readonly string[], isFast: boolean): string {
  const accelerate = isFast ? `,"accelerate":${accelerateSeconds}` : ''
  return `{"queries":{${queries.join(',')}}${accelerate},"node_invalid":false}`
}

function noteHandOut(device: DeviceState, keys: readonly string[], nowMs: number): void {
  const unanswered = device.unanswered ?? new Map<string, number>()
  for (const key of keys) unanswered.set(key, nowMs)
  device.unanswered = unanswered
}

const nextDue = (others: readonly { dueAtMs: number }[], nowMs: number): number =>
  Math.min(earliest(others), nowMs + unansweredMs)

/** A check whose query cannot be made is shown as errored on the device, at its turn. */
async function recordFaults(context: AgentContext, device: DeviceState, faulty: readonly DueCheck[], now: string) {
  const runs = faulty.flatMap(({ check: { checkId, queryRevision, query } }) =>
    'fault' in query
      ? [{ checkId, queryRevision, ranAt: now, outcome: { kind: 'error' as const, message: query.fault } }]
      : [],
  )
  if (runs.length > 0) await recordRuns(context, device, runs)
}
