import { isRecord } from './agent-answer.ts'
import { answerQueries, type QueryResult, writeBody } from './answer-queries.ts'
import { callServer } from './call-server.ts'
import { countRound } from './count-round.ts'
import { eventOf, type Fleet, scheduleIn } from './fleet.ts'

const retryPausesMs = [1000, 4000]
const acceleratedPollMs = 5000
const maxIdleAnswers = 32
const maxUnsentWrites = 20

/** One distributed read and, when it brought work, the one write that carries all answers. */
export function pollQueries(fleet: Fleet, device: number, done: () => void): void {
  const body = `{"node_key":${JSON.stringify(fleet.nodeKeys[device])}}`
  callServer(fleet, device, 'read', body, ({ answer, text }) => {
    if (!answer?.accepted) {
      scheduleAfterFailure(fleet, device)
      done()
      return
    }
    fleet.failedAttempts[eventOf(fleet, device, 'read')] = 0
    fleet.counters.reads += 1
    const queries = isRecord(answer.body['queries']) ? answer.body['queries'] : {}
    accelerate(fleet, device, answer.body['accelerate'])
    const unsent = fleet.unsentResults.get(device)
    if (Object.keys(queries).length === 0 && !unsent) {
      fleet.counters.idleReads += 1
      rememberIdle(fleet, text, answer.body)
      countRound(fleet, device, 'reads')
      scheduleNext(fleet, device)
      done()
      return
    }
    const results = [...(unsent ?? []), ...answerQueries(fleet, device, queries)]
    writeResults(fleet, device, results, done)
  })
}

function writeResults(fleet: Fleet, device: number, results: QueryResult[], done: () => void) {
  callServer(fleet, device, 'write', writeBody(fleet.nodeKeys[device] ?? '', results), ({ answer }) => {
    if (answer?.accepted) {
      fleet.counters.writes += 1
      fleet.unsentResults.delete(device)
      countRound(fleet, device, 'reads')
    } else fleet.unsentResults.set(device, results.slice(-maxUnsentWrites))
    scheduleNext(fleet, device)
    done()
  })
}

function rememberIdle(fleet: Fleet, text: string, body: Record<string, unknown>) {
  if (text.length > 200 || 'accelerate' in body || fleet.idleAnswers.size >= maxIdleAnswers) return
  fleet.idleAnswers.add(text)
}

/** osquery takes only an integer for `accelerate`, the seconds of quick polling to come. */
function accelerate(fleet: Fleet, device: number, seconds: unknown) {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds <= 0) return
  fleet.acceleratedUntil[device] = fleet.now() + seconds * 1000
}

function scheduleNext(fleet: Fleet, device: number) {
  const plan = fleet.plans[device]
  if (!plan || plan.isDistributedDisabled) return
  const { distributedMs } = plan.intervals
  const isAccelerated = (fleet.acceleratedUntil[device] ?? 0) > fleet.now()
  scheduleIn(fleet, device, 'read', isAccelerated ? Math.min(acceleratedPollMs, distributedMs) : distributedMs)
}

function scheduleAfterFailure(fleet: Fleet, device: number) {
  const event = eventOf(fleet, device, 'read')
  const attempt = fleet.failedAttempts[event] ?? 0
  const pauseMs = retryPausesMs[attempt]
  fleet.failedAttempts[event] = pauseMs === undefined ? 0 : attempt + 1
  if (pauseMs === undefined) scheduleNext(fleet, device)
  else scheduleIn(fleet, device, 'read', pauseMs)
}
