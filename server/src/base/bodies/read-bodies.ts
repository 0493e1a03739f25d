import type { IncomingMessage } from 'node:http'
import { type Account, type Fault, type Outcome, type Reading, startReading } from './reading.ts'

const sweepMs = 500

/** The bodies that one server reads: each keeps its pace or is refused, and ends with its connection. */
export function readBodies<Refusal = Fault>() {
  const readings = new Set<Reading<Refusal>>()
  const sweep = setInterval(() => {
    const nowMs = performance.now()
    for (const reading of readings) reading.refuseIfSlow(nowMs)
  }, sweepMs).unref()

  /** Begins to read a body; its parts are given to what this returns. */
  function begin(
    message: IncomingMessage,
    account: Account,
    onEnd: (outcome: Outcome<Refusal | Fault>) => void,
  ): Reading<Refusal> {
    const reading = startReading<Refusal>({
      message,
      account,
      onEnd(outcome) {
        readings.delete(reading)
        onEnd(outcome)
      },
    })
    readings.add(reading)
    message.on('error', () => reading.refuse('broken_off'))
    message.on('close', () => {
      if (!message.complete) reading.refuse('broken_off')
    })
    return reading
  }

  return {
    begin,
    /** Reads a whole body of at most `maxBytes`. */
    whole(
      message: IncomingMessage,
      { account, maxBytes }: { account: Account; maxBytes: number },
      onEnd: (outcome: Outcome<Refusal | Fault>) => void,
    ): void {
      const reading = begin(message, account, onEnd)
      message.on('data', (chunk: Buffer) => {
        reading.take(chunk)
        if (reading.receivedBytes() > maxBytes) reading.refuse('too_large')
      })
      message.on('end', reading.finish)
      if (Number(message.headers['content-length'] ?? 0) > maxBytes) reading.refuse('too_large')
    },
    stop: (): void => clearInterval(sweep),
  }
}
