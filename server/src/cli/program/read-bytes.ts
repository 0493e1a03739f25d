import { readFile } from 'node:fs/promises'
import { CommandError, exitCodes } from '../command-error.ts'

/** A file that a flag names; one that cannot be read is wrong use. */
export const readBytes = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: Error) => {
    throw new CommandError(exitCodes.usage, `Cannot read ${path}: ${error.message}`)
  })
