import { readFile } from 'node:fs/promises'
import { notText, textOfBytes } from '@muster/contract/text-of-bytes.ts'
import { CommandError, exitCodes } from '../command-error.ts'

/** The text of a file that a command is given; a CommandError where it cannot be read. */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(exitCodes.usage, `Cannot read ${file}: ${reason}`)
  })
  const text = textOfBytes(bytes)
  if (text === undefined) throw new CommandError(exitCodes.usage, `Cannot read ${file}: it ${notText}`)
  return text
}
