import { readFile } from 'node:fs/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { CommandError, exitCodes } from '../command-error.ts'

/** For every connection that this process makes from now on. */
export async function trustAuthority(file: string): Promise<void> {
  try {
    setDefaultCACertificates([...getCACertificates('default'), await readFile(file, 'utf8')])
  } catch (error) {
    throw new CommandError(exitCodes.usage, `--ca: ${error instanceof Error ? error.message : String(error)}`)
  }
}
