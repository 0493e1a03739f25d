import { randomUUID } from 'node:crypto'
import { CommandError, exitCodes } from '../command-error.ts'
import { withOwnStream } from './own-stream.ts'
import type { PollPlan } from './plan-receiver.ts'
import { pollForSets } from './poll-for-sets.ts'
import type { Receiving } from './run-receiver.ts'
import type { ReceivedStream } from './transmitter.ts'
import { setVerifier } from './verify-set.ts'

/** Fetches the events of a stream, or of one that is made for it, until the signal. */
export async function receiveByPolling(plan: PollPlan, receiving: Receiving): Promise<void> {
  const { io, say, show, seen } = receiving
  const { issuer, jwksUri, asOwner } = await receiving.findTransmitter()
  const calls = asOwner(plan.apiKey)
  const poll = async (stream: ReceivedStream) => {
    await say('Polling; Ctrl-C ends it')
    const verify = setVerifier({ issuer, audience: stream.audience, jwksUri })
    await pollForSets({ calls, stream, verify, seen, show, say, signal: io.signal })
  }
  if (plan.stream === undefined) {
    return withOwnStream({ calls, delivery: 'poll', say }, async (stream) => {
      await calls.askVerification(stream.streamId, randomUUID())
      await poll(stream)
    })
  }
  const stream = await calls.readStream(plan.stream)
  if (!stream.isPolled) throw new CommandError(exitCodes.usage, 'This stream is pushed; it cannot be polled')
  await poll({ ...stream, pollToken: plan.pollToken })
}
