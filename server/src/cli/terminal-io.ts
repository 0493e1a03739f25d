import { addAbortSignal, type Writable } from 'node:stream'
import type { CommandIo } from './data-command.ts'

/** The reader of the output has gone away, as `head` does when it has enough. */
export class OutputClosed extends Error {}

export type Terminal = { output: Writable; errors: Writable; input: AsyncIterable<Uint8Array>; signal: AbortSignal }

/** Input and output of this process, or a file in their place. */
export function terminalIo({ output, errors, input, signal }: Terminal): CommandIo {
  return {
    async write(text) {
      signal.throwIfAborted()
      await writeTo(output, text)
    },
    line: (text) => writeTo(output, `${text}\n`),
    error: (text) => writeTo(errors, `${text}\n`),
    input,
    signal,
  }
}

/** Resolves when the stream has taken the text: a reader that is slow or gone is noticed at once. */
function writeTo(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(isBrokenPipe(error) ? new OutputClosed() : error) : resolve()))
  })
}

const isBrokenPipe = (error: Error): boolean => 'code' in error && error.code === 'EPIPE'

/** Opens standard input at the first read, so that a command that reads nothing never waits for it to end. */
export async function* standardInput(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* addAbortSignal(signal, process.stdin)
}
