import type { FieldError } from '@muster/contract/errors.ts'
import { type SettledState, type SsfReplayRequest, settledStates } from '@muster/contract/ssf-events.ts'
import { dateTimeForms, parseDateTime } from '../../../base/lists/parse-date-time.ts'

/** Which settled events are sent again. */
export type ReplayChoice =
  | { kind: 'named'; jtis: readonly string[] }
  | { kind: 'range'; from: string; to: string; states: readonly SettledState[]; afterId: string }

/** What a request chooses, or what is wrong with it. */
export function replayChoiceOf(request: SsfReplayRequest): ReplayChoice | { kind: 'wrong'; errors: FieldError[] } {
  const { jtis, states = settledStates, after_id: afterId = 0 } = request
  if (jtis) {
    const others = (['from', 'to', 'states', 'after_id'] as const).filter((name) => request[name] !== undefined)
    if (others.length === 0) return { kind: 'named', jtis }
    return { kind: 'wrong', errors: others.map((field) => ({ field, message: 'must not be there beside jtis' })) }
  }
  const [from, to] = [request.from, request.to].map((text) => (text === undefined ? undefined : parseDateTime(text)))
  if (from !== undefined && to !== undefined) return { kind: 'range', from, to, states, afterId: String(afterId) }
  const faults = { from, to }
  const errors = (['from', 'to'] as const)
    .filter((field) => faults[field] === undefined)
    .map((field) => ({ field, message: `must be ${dateTimeForms}, unless jtis are given` }))
  return { kind: 'wrong', errors }
}
