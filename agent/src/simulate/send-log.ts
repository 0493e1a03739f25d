import { callServer } from './call-server.ts'
import { type ConfigPlan, dueQueries } from './config-plan.ts'
import { countRound } from './count-round.ts'
import type { DeviceProfile } from './device-profile.ts'
import { eventOf, type Fleet, profileOf, scheduleIn } from './fleet.ts'
import { resultLines, statusLine } from './log-lines.ts'
import { fractionOf } from './seeded.ts'

const maxBackOffMs = 3_600_000
const maxUnsentLines = 1000

/** One log period of one device: nothing is sent when nothing is buffered. */
export function sendLog(fleet: Fleet, device: number, done: () => void): void {
  const plan = fleet.plans[device]
  if (!plan) {
    done()
    return
  }
  const now = fleet.now()
  const sentUntil = fleet.loggedUntil[device] ?? -1
  const profile = profileOf(fleet, device)
  const lines = [...(fleet.unsentLines.get(device) ?? []), ...newLines(fleet, plan, profile, sentUntil, now)]
  fleet.loggedUntil[device] = now
  const sendStatus = () => sendStatusLine(fleet, profile, now, done)
  if (lines.length > 0) sendLines(fleet, device, plan, lines, sendStatus)
  else {
    countRound(fleet, device, 'logs')
    scheduleIn(fleet, device, 'log', plan.intervals.logMs)
    sendStatus()
  }
}

/** Result and status lines go in separate requests. */
function sendStatusLine(fleet: Fleet, profile: DeviceProfile, now: number, done: () => void) {
  const device = profile.index
  if (!hasStatusLine(fleet, device, now)) {
    done()
    return
  }
  const line = statusLine(profile, Math.floor((fleet.startedAtMs + now) / 1000))
  callServer(fleet, device, 'log', logBody(fleet, device, 'status', [line]), ({ answer }) => {
    if (answer?.accepted) countLines(fleet, 1)
    done()
  })
}

/** The same first lines go again until they are accepted; the pause grows with the square of the failures. */
function sendLines(fleet: Fleet, device: number, plan: ConfigPlan, lines: string[], done: () => void) {
  const event = eventOf(fleet, device, 'log')
  const batch = lines.slice(0, plan.linesPerLog)
  callServer(fleet, device, 'log', logBody(fleet, device, 'result', batch), ({ answer }) => {
    const isAccepted = answer?.accepted === true
    const left = isAccepted ? lines.slice(batch.length) : lines.slice(-maxUnsentLines)
    if (left.length > 0) fleet.unsentLines.set(device, left)
    else fleet.unsentLines.delete(device)
    if (isAccepted) countLines(fleet, batch.length)
    if (left.length === 0) countRound(fleet, device, 'logs')
    const attempt = isAccepted ? 0 : Math.min(255, (fleet.failedAttempts[event] ?? 0) + 1)
    fleet.failedAttempts[event] = attempt
    scheduleIn(fleet, device, 'log', Math.min(plan.intervals.logMs * Math.max(1, attempt * attempt), maxBackOffMs))
    done()
  })
}

function countLines(fleet: Fleet, lines: number) {
  fleet.counters.logs += 1
  fleet.counters.logLines += lines
}

function newLines(fleet: Fleet, plan: ConfigPlan, profile: DeviceProfile, fromMs: number, toMs: number): string[] {
  const device = { seed: fleet.settings.seed, index: profile.index, platform: profile.platform }
  const due = dueQueries(plan, device, fromMs, toMs)
  if (due.length === 0) return []
  const unixTime = Math.floor((fleet.startedAtMs + toMs) / 1000)
  return due.flatMap((query) =>
    resultLines({ query, plan, profile, answers: fleet.answers, unixTime, isFirst: fromMs < 0 }),
  )
}

function hasStatusLine(fleet: Fleet, device: number, now: number): boolean {
  const { seed, statusLineRate } = fleet.settings
  return statusLineRate > 0 && fractionOf(seed, device, 30, Math.floor(now)) < statusLineRate
}

function logBody(fleet: Fleet, device: number, logType: 'result' | 'status', lines: string[]): string {
  return `{"node_key":${JSON.stringify(fleet.nodeKeys[device])},"log_type":"${logType}","data":[${lines}]}`
}
