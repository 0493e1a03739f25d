import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { unpackTar } from 'modern-tar/fs'
import { Check } from 'typebox/value'
import { CommandError, exitCodes } from '../command-error.ts'
import { BackupManifest, manifestName } from './backup-format.ts'
import { hashFiles } from './hash-files.ts'

type Settings = { input: string; folder: string; signal: AbortSignal }

/** Unpacks a backup into an empty folder. A CommandError when it is none, not whole, or not as it was written. */
export async function unpackBackup({ input, folder, signal }: Settings): Promise<BackupManifest> {
  const unpacking = unpackTar(folder, {
    strict: true,
    filter: ({ name, type }) => isOurs(name) && (type === 'file' || type === 'directory'),
    ...{ dmode: 0o700, fmode: 0o600 },
  })
  await pipeline(createReadStream(input), createGunzip(), unpacking, { signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw refusal(input, error instanceof Error ? error.message : String(error))
  })
  const manifest = await readManifest(folder)
  if (!manifest) throw refusal(input, 'it has no manifest that this version of Muster reads')
  return manifest
}

/** Reads every file again, so that what is put in place is what was written. */
export async function requireWhole(input: string, folder: string, { files }: BackupManifest): Promise<void> {
  const found = await hashFiles(folder, 'pgdata')
  const names = new Set([...Object.keys(files), ...Object.keys(found)])
  const wrong = [...names].find((name) => files[name] !== found[name])
  if (wrong !== undefined) throw refusal(input, `${wrong} is not as it was written`)
}

const isOurs = (name: string): boolean => name === manifestName || name.startsWith('pgdata/')

function refusal(input: string, reason: string): CommandError {
  return new CommandError(
    exitCodes.failure,
    `${input} is not a whole backup of Muster: ${reason}. Nothing was restored`,
  )
}

async function readManifest(folder: string): Promise<BackupManifest | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, manifestName), 'utf8'))
    return Check(BackupManifest, manifest) ? manifest : undefined
  } catch {
    return undefined
  }
}
