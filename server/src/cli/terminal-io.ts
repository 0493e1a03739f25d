import type { Readable, Writable } from 'node:stream'
import type { CommandIo } from './data-command.ts'

export type Terminal = { output: Writable; errors: Writable; input: Readable; signal: AbortSignal }

/** Input and output of this process, or a file in their place. */
export function terminalIo({ output, errors, input, signal }: Terminal): CommandIo {
  return {
    write: (text) => writeTo(output, text),
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
