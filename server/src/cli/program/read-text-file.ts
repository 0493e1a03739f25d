import { readFile } from 'node:fs/promises'
import { CommandError, exitCodes } from '../command-error.ts'

/** The text of a file that a command is given; a CommandError where it cannot be read. */
export const readTextFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(exitCodes.failure, `Cannot read the file: ${reason}`)
  })
