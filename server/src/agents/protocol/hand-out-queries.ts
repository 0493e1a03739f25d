import type { InventoryQuery } from '../../reporting/catalogue/catalogue.ts'
import { inventoryQueryName } from '../../reporting/schedule-inventory.ts'
import { linkSqlOf } from '../companion-keys/link-file-rules.ts'
import type { AgentContext } from './agent-context.ts'
import { type Answer, success, unknownNodeKey } from './answers.ts'
import type { DeviceState } from './device-registry.ts'
import { type DueCheck, inOrderOfNeed, liveQueryKey, queriesPerRead, unansweredMs } from './due-rules.ts'
import { earliest, type LoadedDevice, linkEveryMs, reloadDevice } from './load-device.ts'
import { type HandedOutQuery, queryName } from './query-names.ts'
import { recordRuns } from './record-runs.ts'

export const idleAnswer = '{"queries":{},"node_invalid":false}'

/** Seconds in which an agent polls every five seconds; osquery ignores anything but an integer. */
const accelerateSeconds = 30

/** The answer to a distributed read of a device that is known, or has just been loaded. */
export async function answerRead(context: AgentContext, found: DeviceState | LoadedDevice): Promise<Answer> {
  if (!('device' in found) && Date.parse(context.clock()) < found.nextDueAtMs) return success(idleAnswer)
  // What another process has recorded since is not asked again.
  const loaded = 'device' in found ? found : await reloadDevice(context, found)
  return loaded ? success(await handOutQueries(context, loaded)) : unknownNodeKey
}

/** A live query goes alone: its answer would wait for the checks beside it, since one write carries all. */
function handOutQueries(context: AgentContext, loaded: LoadedDevice): Promise<string> {
  const nowMs = Date.parse(context.clock())
  const isLive = loaded.liveQueries.some(({ dueAtMs }) => dueAtMs <= nowMs)
  return isLive ? handOutLiveQueries(context, loaded, nowMs) : handOutChecks(context, loaded, nowMs)
}

async function handOutLiveQueries(context: AgentContext, loaded: LoadedDevice, nowMs: number): Promise<string> {
  const { device, checks, liveQueries, tables } = loaded
  const handedOut = liveQueries.filter(({ dueAtMs }) => dueAtMs <= nowMs).slice(0, queriesPerRead)
  noteHandOut(device, handedOut.map(liveQueryKey), nowMs)
  device.nextDueAtMs =
    tables.length > 0 ? 0 : nextDue([...checks, ...liveQueries.filter((query) => !handedOut.includes(query))], nowMs)
  const queries = await Promise.all(
    handedOut.map(async ({ campaignId, revision }) => {
      const json = await context.statements.find(device.organization.id, campaignId, revision)
      const asked = { kind: 'campaign', id: campaignId, revision: String(revision), issuedAtMs: nowMs } as const
      return json === undefined ? [] : [`"${nameFor(context, device, asked)}":${json}`]
    }),
  )
  return answerWith(queries.flat(), true)
}

async function handOutChecks(context: AgentContext, loaded: LoadedDevice, nowMs: number): Promise<string> {
  const { device, checks, liveQueries, tables } = loaded
  const link = linkQuery(context, loaded, nowMs)
  const due = checks.filter(({ dueAtMs }) => dueAtMs <= nowMs).sort(inOrderOfNeed)
  if (due.length === 0 && tables.length === 0 && link.length === 0) return idleAnswer
  const handedOut = due.filter(({ check }) => 'json' in check.query).slice(0, queriesPerRead)
  const faulty = due.filter(({ check }) => 'fault' in check.query)
  const tablesAsked = tables.slice(0, queriesPerRead - handedOut.length)
  const isMoreLeft = tables.length > tablesAsked.length
  const isWorkLeft = due.length > handedOut.length + faulty.length || isMoreLeft
  const noted = [...handedOut, ...faulty]
  noteHandOut(
    device,
    noted.map(({ check }) => check.checkId),
    nowMs,
  )
  const linkDue = loaded.linkDueAtMs === undefined ? [] : [{ dueAtMs: device.linkAskedAtMs + linkEveryMs }]
  const others = checks.filter((check) => !noted.includes(check))
  device.nextDueAtMs = nextDue([...others, ...liveQueries, ...linkDue], nowMs)
  noteFirstRound(device, tablesAsked, isMoreLeft)
  await recordFaults(context, device, faulty, new Date(nowMs).toISOString())
  const queries = handedOut.flatMap(({ check: { checkId, queryRevision, query } }) => {
    const asked = { kind: 'check', id: checkId, revision: queryRevision, issuedAtMs: nowMs } as const
    return 'json' in query ? `"${nameFor(context, device, asked)}":${query.json}` : []
  })
  queries.push(...tablesAsked.map((table) => `"${inventoryQueryName(table)}":${JSON.stringify(table.sql)}`))
  queries.push(...link)
  return answerWith(queries, isWorkLeft || link.length > 0)
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

/** Asked once: what is not answered comes with the schedule. */
function noteFirstRound(device: DeviceState, asked: readonly InventoryQuery[], isMoreLeft: boolean): void {
  if (asked.length > 0) device.firstAsked ??= new Set()
  for (const { table } of asked) device.firstAsked?.add(table.name)
  if (isMoreLeft) device.nextDueAtMs = 0
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
