import type { InventoryQuery } from '../reporting/catalogue/catalogue.ts'
import { inventoryQueryName } from '../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { type Answer, success, unknownNodeKey } from './answers.ts'
import type { DeviceState } from './device-registry.ts'
import { type DueCheck, inOrderOfNeed, queriesPerRead, unansweredMs } from './due-rules.ts'
import { earliest, type LoadedDevice, reloadDevice } from './load-device.ts'
import { queryName } from './query-names.ts'
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

async function handOutQueries(context: AgentContext, { device, checks, tables }: LoadedDevice): Promise<string> {
  const now = context.clock()
  const nowMs = Date.parse(now)
  const due = checks.filter(({ dueAtMs }) => dueAtMs <= nowMs).sort(inOrderOfNeed)
  if (due.length === 0 && tables.length === 0) return idleAnswer
  const handedOut = due.filter(({ check }) => 'json' in check.query).slice(0, queriesPerRead)
  const faulty = due.filter(({ check }) => 'fault' in check.query)
  const asked = tables.slice(0, queriesPerRead - handedOut.length)
  const isWorkLeft = due.length > handedOut.length + faulty.length || tables.length > asked.length
  noteHandOut(device, checks, [...handedOut, ...faulty], nowMs)
  noteFirstRound(device, asked, tables.length > asked.length)
  await recordFaults(context, device, faulty, now)
  const { deviceId, organization } = device
  const queries = handedOut.flatMap(({ check: { checkId, queryRevision, query } }) => {
    const issued = { checkId, queryRevision, issuedAtMs: nowMs }
    const name = queryName(context.secrets, { organizationId: organization.id, deviceId }, issued)
    return 'json' in query ? `"${name}":${query.json}` : []
  })
  queries.push(...asked.map((table) => `"${inventoryQueryName(table)}":${JSON.stringify(table.sql)}`))
  const accelerate = isWorkLeft ? `,"accelerate":${accelerateSeconds}` : ''
  return `{"queries":{${queries.join(',')}}${accelerate},"node_invalid":false}`
}

function noteHandOut(
  device: DeviceState,
  checks: readonly DueCheck[],
  handedOut: readonly DueCheck[],
  nowMs: number,
): void {
  const unanswered = device.unanswered ?? new Map<string, number>()
  for (const { check } of handedOut) unanswered.set(check.checkId, nowMs)
  device.unanswered = unanswered
  const others = checks.filter((due) => !handedOut.includes(due))
  device.nextDueAtMs = Math.min(earliest(others), nowMs + unansweredMs)
}

/** Asked once: what is not answered comes with the schedule. */
function noteFirstRound(device: DeviceState, asked: readonly InventoryQuery[], isMoreLeft: boolean): void {
  if (asked.length > 0) device.firstAsked ??= new Set()
  for (const { table } of asked) device.firstAsked?.add(table.name)
  if (isMoreLeft) device.nextDueAtMs = 0
}

/** A check whose query cannot be made is shown as errored on the device, at its turn. */
async function recordFaults(context: AgentContext, device: DeviceState, faulty: readonly DueCheck[], now: string) {
  const runs = faulty.flatMap(({ check: { checkId, queryRevision, query } }) =>
    'fault' in query
      ? [{ checkId, queryRevision, ranAt: now, outcome: { kind: 'error' as const, message: query.fault } }]
      : [],
  )
  if (runs.length > 0) await recordRuns(context, device, runs)
}
