import { setTimeout as pause } from 'node:timers/promises'
import { accept, answerWith, drip, hang, type Receiver, reset } from '../../support/receivers.ts'
import { type Arrival, digestOf, type StreamLog } from './arrival.ts'
import type { Seeded } from './seeded.ts'

type Answer = Receiver['answer']
type Way = { answer: Answer; what: Arrival['what'] }

const way = (what: Arrival['what'], answer: Answer): Way => ({ what, answer })
const wellBehaved = way('taken', accept)
const rejecting = way('rejected', answerWith(400, '{"err":"invalid_request","description":"No such device"}'))

const troubles: readonly Way[] = [
  way('refused', answerWith(503)),
  way('refused', answerWith(429, '', { 'retry-after': '2' })),
  way('refused', answerWith(400, '{"message":"no"}')),
  way('refused', answerWith(400, '{"err":"authentication_failed"}')),
  way('refused', answerWith(401)),
  way('refused', answerWith(307, '', { location: 'https://localhost:1/elsewhere' })),
  way('cut', hang),
  way('cut', drip),
  way('cut', reset),
]

/** Logs what arrives at a receiver that is in some trouble time and again until it is over, and healthy then. */
export function openFaultyReceiver(receiver: Receiver, streamId: string, chance: Seeded) {
  const log: StreamLog = { streamId, kind: 'push', arrivals: [], faults: [] }
  let current = wellBehaved
  let isHealthy = false
  receiver.answer = (received, response, request) => {
    const isRejecting = !isHealthy && current === wellBehaved && chance.isLikely(0.01)
    const isAlone = !isHealthy && current === wellBehaved && chance.isLikely(0.01)
    const chosen = isRejecting ? rejecting : isAlone ? chance.pick(troubles) : current
    const { jti, token, txn = '' } = received
    log.arrivals.push({ jti, txn, digest: digestOf(token), what: chosen.what })
    receiver.received.length = 0
    chosen.answer(received, response, request)
  }
  return {
    log,
    async run(isOver: () => boolean): Promise<void> {
      while (!isOver()) {
        current = chance.isLikely(0.3) ? chance.pick(troubles) : wellBehaved
        await pause(chance.between(500, 6_000))
      }
      current = wellBehaved
      isHealthy = true
    },
  }
}
