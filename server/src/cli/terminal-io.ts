import { addAbortSignal, type Writable } from 'node:stream'
import type { CommandIo } from './data-command.ts'

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
    stream.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Opens standard input at the first read, so that a command that reads nothing never waits for it to end. */
export async function* standardInput(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* addAbortSignal(signal, process.stdin)
}
