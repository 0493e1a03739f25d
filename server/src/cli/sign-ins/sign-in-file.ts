import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { LaptopMemory } from '@muster/agent/simulate/sign-ins/laptop.ts'
import type { SignInSetup } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import { CommandError, exitCodes } from '../command-error.ts'

/** What simulated sign-ins keep from one run to the next: it holds secrets and private keys. */
export type SignInFile = { setup: SignInSetup; laptopSeed: number; laptops: LaptopMemory[] }

/** Undefined where there is none. */
export async function readSignInFile(file: string): Promise<SignInFile | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SignInFile
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    if (error instanceof SyntaxError) {
      throw new CommandError(exitCodes.usage, `${file} is not JSON: give another --file, or delete it to make it again`)
    }
    throw error
  }
}

/** For this user's eyes only; a crash leaves the old file or the new one. */
export async function writeSignInFile(file: string, content: SignInFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.tmp`
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  await rename(draft, file)
}
