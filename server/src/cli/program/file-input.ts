import { createReadStream } from 'node:fs'
import { CommandError, exitCodes } from '../command-error.ts'

/** The bytes of a file that a command is given; a CommandError where it cannot be read. */
export async function* fileInput(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(exitCodes.usage, `Cannot read ${path}: ${reason}`)
  }
}

/** For a command that is given no file: it does not wait for someone to type one. */
export async function* nothing(): AsyncGenerator<Uint8Array> {}
