import { setTimeout as pause } from 'node:timers/promises'
import type { HookReceiver } from '../../support/hook-receivers.ts'
import { accept, answerWith, drip, hang, type Receiver, type ReceiverOf, reset } from '../../support/receivers.ts'
import { type Arrival, digestOf, type ReceiverLog } from './arrival.ts'
import type { Seeded } from './seeded.ts'

type Way = Pick<Arrival, 'what' | 'status'> & { answer: ReceiverOf<unknown>['answer'] }

const answering = (what: Arrival['what'], status: number, ...rest: [body?: string, headers?: Record<string, string>]) =>
  ({ what, status, answer: answerWith(status, ...rest) }) satisfies Way

const unverified = answering('refused', 401)
const wellBehaved: Way = { what: 'taken', status: 202, answer: accept }

const common: readonly Way[] = [
  answering('refused', 503),
  answering('refused', 429, '', { 'retry-after': '2' }),
  answering('refused', 400, '{"message":"no"}'),
  answering('refused', 401),
  answering('refused', 307, '', { location: 'https://localhost:1/elsewhere' }),
  { what: 'cut', answer: hang },
  { what: 'cut', answer: drip },
  { what: 'cut', answer: reset },
]

/** How receivers of a kind go wrong: for a while, or with one of many. */
type Troubles = { long: readonly Way[]; single: Way }

const ofStreams: Troubles = {
  long: [...common, answering('refused', 400, '{"err":"authentication_failed"}')],
  single: answering('rejected', 400, '{"err":"invalid_request","description":"No such device"}'),
}
const ofHooks: Troubles = {
  // More than is read of an answer.
  long: [...common, answering('refused', 500, 'x'.repeat(100_000)), answering('taken', 200, 'x'.repeat(100_000))],
  single: answering('refused', 422, '{"message":"No such device"}'),
}

export const openFaultyReceiver = (receiver: Receiver, streamId: string, chance: Seeded) =>
  openFaulty(receiver, { id: streamId, kind: 'push', arrivals: [], faults: [] }, chance, {
    troubles: ofStreams,
    arrivalOf: ({ jti, token, txn = '' }) => ({ jti, txn, digest: digestOf(token) }),
  })

type Hook = HookReceiver['received'][number]

/** What is not verified is refused, as receivers do. */
export function openFaultyHookReceiver(
  receiver: HookReceiver,
  endpointId: string,
  chance: Seeded,
  judge: (hook: Hook) => { isVerified: boolean; fault: string | undefined },
) {
  const log: ReceiverLog = { id: endpointId, kind: 'hook', arrivals: [], faults: [] }
  return openFaulty(receiver, log, chance, {
    troubles: ofHooks,
    arrivalOf(hook) {
      const { isVerified, fault } = judge(hook)
      if (fault) log.faults.push(`${hook.data.device_name} ${fault}`)
      const arrival = {
        jti: String(hook.headers['webhook-id']),
        txn: hook.data.device_name,
        digest: digestOf(hook.body),
      }
      return { ...arrival, ...(!isVerified && { way: unverified }) }
    },
  })
}

type Kind<Seen> = {
  troubles: Troubles
  /** With the way of answering it where there is just one. */
  arrivalOf: (seen: Seen) => Pick<Arrival, 'jti' | 'txn' | 'digest'> & { way?: Way }
}

/** Logs what arrives at a receiver that is in some trouble time and again until it is over, and healthy then. */
function openFaulty<Seen>(
  receiver: ReceiverOf<Seen>,
  log: ReceiverLog,
  chance: Seeded,
  { troubles, arrivalOf }: Kind<Seen>,
) {
  let current = wellBehaved
  let isHealthy = false
  receiver.answer = (received, response, request) => {
    const isSingle = !isHealthy && current === wellBehaved && chance.isLikely(0.01)
    const isAlone = !isHealthy && current === wellBehaved && chance.isLikely(0.01)
    const { way, ...arrival } = arrivalOf(received)
    const chosen = way ?? (isSingle ? troubles.single : isAlone ? chance.pick(troubles.long) : current)
    const { what, status } = chosen
    log.arrivals.push({ ...arrival, what, status })
    receiver.received.length = 0
    chosen.answer(received, response, request)
  }
  return {
    log,
    async run(isOver: () => boolean): Promise<void> {
      while (!isOver()) {
        current = chance.isLikely(0.3) ? chance.pick(troubles.long) : wellBehaved
        await pause(chance.between(500, 6_000))
      }
      current = wellBehaved
      isHealthy = true
    },
  }
}
