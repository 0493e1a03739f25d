import { type AgentAnswer, judgeAnswer } from './agent-answer.ts'
import type { TransportOutcome } from './agent-transport.ts'
import { type Fleet, scheduleIn } from './fleet.ts'
import { fractionOf } from './seeded.ts'
import { type CallKind, countError } from './simulation-counters.ts'

const paths: Record<CallKind, string> = {
  enroll: '/enroll',
  config: '/config',
  read: '/distributed/read',
  write: '/distributed/write',
  log: '/log',
}

/** The answer's text comes along, as it is the key under which configurations and idle answers are remembered. */
export type CallOutcome = { answer: AgentAnswer | undefined; text: string }

/**
 * One call of one device, judged as osquery judges it and counted. `answer` is undefined when none came.
 * A `node_invalid` costs the device its key and lets it enroll again, unless it has a newer key by then.
 */
export function callServer(
  fleet: Fleet,
  device: number,
  call: CallKind,
  body: string,
  done: (outcome: CallOutcome) => void,
): void {
  const nodeKey = call === 'enroll' ? '' : (fleet.nodeKeys[device] ?? '')
  const path = fleet.settings.basePath + paths[call]
  const request = { device, path, body, nodeKey }
  fleet.transport.post(request, (outcome) => {
    const judged = judge(fleet, call, outcome)
    if (judged.answer && !judged.answer.accepted && judged.answer.isNodeInvalid && call !== 'enroll') {
      loseKey(fleet, device, nodeKey)
    }
    done(judged)
  })
  if (call === 'enroll' || !isSentTwice(fleet)) return
  fleet.counters.duplicates += 1
  fleet.transport.post(request, (outcome) => judge(fleet, call, outcome))
}

function isSentTwice(fleet: Fleet): boolean {
  if (fleet.settings.duplicateRate === 0) return false
  fleet.duplicateDraws += 1
  return fractionOf(fleet.settings.seed, fleet.duplicateDraws) < fleet.settings.duplicateRate
}

function judge(fleet: Fleet, call: CallKind, outcome: TransportOutcome): CallOutcome {
  const { counters } = fleet
  if (!outcome.answered) {
    if (!fleet.isStopping) countError(counters, call, outcome.fault)
    return { answer: undefined, text: '' }
  }
  counters.latencies[call].record(outcome.elapsedMs)
  counters.recent.record(outcome.elapsedMs)
  if (outcome.status !== 200) counters.statuses.set(outcome.status, (counters.statuses.get(outcome.status) ?? 0) + 1)
  if (fleet.idleAnswers.has(outcome.text)) return { answer: { accepted: true, body: {} }, text: outcome.text }
  // osquery takes it for a success and drops what it sent: a fault of the server, worth counting.
  if (outcome.text === '') countError(counters, call, 'empty_body')
  const answer = judgeAnswer(outcome.text)
  if (!answer.accepted) countError(counters, call, answer.fault)
  return { answer, text: outcome.text }
}

function loseKey(fleet: Fleet, device: number, nodeKey: string) {
  if (nodeKey === '' || fleet.nodeKeys[device] !== nodeKey) return
  fleet.nodeKeys[device] = ''
  fleet.devicesWithKey -= 1
  scheduleIn(fleet, device, 'enroll', 1000)
}
