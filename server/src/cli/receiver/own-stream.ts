import { hostname } from 'node:os'
import { exitCodes } from '../command-error.ts'
import type { CommandIo } from '../data-command.ts'
import { TransmitterError } from './call-transmitter.ts'
import type { OwnerCalls, ReceivedStream } from './transmitter.ts'

type Making = { calls: OwnerCalls; delivery: Parameters<OwnerCalls['createStream']>[1]; say: CommandIo['error'] }

/** Creates a stream while `work` runs. A stream that cannot be deleted is reported. */
export async function withOwnStream(
  { calls, delivery, say }: Making,
  work: (stream: ReceivedStream) => Promise<void>,
): Promise<void> {
  const stream = await calls.createStream(`muster receiver on ${hostname()}`, delivery)
  const { streamId } = stream
  try {
    await say(`Made the stream ${streamId}, which is deleted at the end`)
    await work(stream)
  } finally {
    await calls.deleteStream(streamId).then(
      () => say(`Deleted the stream ${streamId}`),
      (error: Error) => {
        const isGone = error instanceof TransmitterError && error.exitCode === exitCodes.notFound
        return say(
          isGone
            ? 'The stream was deleted meanwhile'
            : `${error.message}. Delete it yourself: npx muster streams delete ${streamId}`,
        )
      },
    )
  }
}
