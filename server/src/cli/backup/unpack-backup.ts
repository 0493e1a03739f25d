import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { CommandError, exitCodes } from '../command-error.ts'
import { plainText } from '../table.ts'
import type { BackupManifest } from './backup-format.ts'
import { judgeEntries } from './judge-entries.ts'
import { listFiles } from './list-files.ts'
import { readManifest } from './read-manifest.ts'

type Settings = {
  input: string
  /** Empty. */
  folder: string
  /** Judges the manifest before anything is unpacked; what it throws is thrown as it is. */
  accept: (manifest: BackupManifest) => Promise<void>
  signal: AbortSignal
}

/** Larger pieces than by default, as each is written by itself. */
const chunkSize = 2 ** 18

/** A name of an archive may be as long as its author likes. */
const longestReason = 500

/** Unpacks a backup into an empty folder. A CommandError when it is none, not whole, or not as it was written. */
export async function unpackBackup({ input, folder, accept, signal }: Settings): Promise<BackupManifest> {
  let unaccepted: unknown
  const unpack = (bytes: AsyncIterable<Uint8Array>) =>
    unpackEntries(bytes, folder, (manifest) =>
      accept(manifest).catch((error: unknown) => {
        unaccepted = error
        throw error
      }),
    )
  try {
    return await pipeline(createReadStream(input), createGunzip({ chunkSize }), unpack, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error === unaccepted) throw error
    throw notWhole(input, error instanceof Error ? error.message : String(error))
  }
}

/** Reads every file again, so that what is put in place is what was written. */
export async function requireWhole(input: string, folder: string, { files }: BackupManifest): Promise<void> {
  const { files: found } = await listFiles(folder, 'pgdata')
  const names = new Set([...Object.keys(files), ...Object.keys(found)])
  const wrong = [...names].find((name) => files[name] !== found[name])
  if (wrong !== undefined) throw notWhole(input, `${wrong} is not as it was written`)
}

async function unpackEntries(
  bytes: AsyncIterable<Uint8Array>,
  folder: string,
  accept: Settings['accept'],
): Promise<BackupManifest> {
  const entries = ReadableStream.from(bytes).pipeThrough(createTarDecoder({ strict: true }))
  let begun: { manifest: BackupManifest; judge: ReturnType<typeof judgeEntries> } | undefined
  for await (const entry of entries) {
    if (begun) {
      begun.judge.admit(entry.header)
      await unpackEntry(folder, entry)
    } else {
      const manifest = await readManifest(entry)
      await accept(manifest)
      begun = { manifest, judge: judgeEntries(manifest) }
    }
  }
  if (!begun) throw new Error('it is empty')
  begun.judge.requireAll()
  return begun.manifest
}

async function unpackEntry(folder: string, { header, body }: ParsedTarEntry): Promise<void> {
  const path = join(folder, header.name)
  const isFolder = header.type === 'directory'
  await mkdir(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 })
  if (!isFolder) await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

/** Why nothing was restored; the reason may hold text of the archive. */
export function notWhole(input: string, reason: string): CommandError {
  return new CommandError(
    exitCodes.failure,
    `${input} is not a whole backup of Muster: ${plainText(reason).slice(0, longestReason)}. Nothing was restored`,
  )
}
