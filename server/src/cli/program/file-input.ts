import { createReadStream } from 'node:fs'
import { CommandError, exitCodes } from '../command-error.ts'
import type { Shell } from './shell.ts'

/** What a command reads: the file that it is given, standard input for `-`, and else nothing, so that it waits for nobody to type. */
export function inputOf({ io }: Shell, path: string | undefined): AsyncIterable<Uint8Array> {
  if (path === '-') return io.input
  return path === undefined ? nothing() : readFile(path)
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(exitCodes.usage, `Cannot read ${path}: ${reason}`)
  }
}
