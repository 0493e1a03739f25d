import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { hourMs } from '../../base/time.ts'
import type { AgentFile } from './agent-files.ts'
import { sharedWork } from './shared-work.ts'

/** A compressed part of packages that is the same for every organization, and what is in it. */
export type KeptPart = {
  part: { path: string; size: number }
  /** MD5 in hexadecimal of each path. */
  md5: Readonly<Record<string, string>>
  unpackedBytes: number
  /** What was noted when it was made. */
  notes: Notes
}

type Notes = Readonly<Record<string, string | number>>

type Wanted = {
  cacheDir: string
  /** Before the names of what it keeps there: parts of one version of the files, in any form. */
  kind: string
  form: string
  /** What it is made of, in a fixed order. */
  files: readonly AgentFile[]
}

type Contents = Pick<KeptPart, 'md5' | 'unpackedBytes' | 'notes'> & { size: number }

/** Makes the part as a file, and returns what is to be noted of it. */
type Write = (path: string) => Promise<Notes>

export const draftPrefix = 'draft-'
const abandonedMs = hourMs
const partName = 'part.gz'
const contentsName = 'contents.json'

const making = sharedWork<KeptPart>()

/** The part that `write` makes as a file at the first call. `cacheDir` keeps those of one version of the files. */
export async function keptPart(wanted: Wanted, write: Write): Promise<KeptPart> {
  const { cacheDir, kind, form, files } = wanted
  const key = `${kind}-${await fingerprint(files)}`
  const folder = join(cacheDir, `${key}-${form}`)
  return making(folder, async () => (await readPart(folder)) ?? makePart({ ...wanted, key, folder }, write))
}

async function makePart(
  { cacheDir, kind, files, key, folder }: Wanted & { key: string; folder: string },
  write: Write,
): Promise<KeptPart> {
  await mkdir(cacheDir, { recursive: true, mode: 0o700 })
  const draft = join(cacheDir, `${draftPrefix}${randomBytes(6).toString('hex')}`)
  await mkdir(draft, { mode: 0o700 })
  try {
    const notes = await write(join(draft, partName))
    const contents: Contents = { ...(await describe(files)), notes, size: (await stat(join(draft, partName))).size }
    await writeFile(join(draft, contentsName), JSON.stringify(contents), { mode: 0o600 })
    await rm(folder, { recursive: true, force: true })
    // Another process may have been faster, with the same bytes.
    await rename(draft, folder).catch((error: unknown) =>
      readPart(folder).then((there) => there ?? Promise.reject(error)),
    )
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await removeOthers({ cacheDir, kind, key })
  await removeAbandoned(cacheDir, (await stat(folder)).mtimeMs)
  const made = await readPart(folder)
  if (!made) throw new Error(`${folder} vanished while it was being made`)
  return made
}

async function fingerprint(files: readonly AgentFile[]): Promise<string> {
  const hash = createHash('sha256').update(process.versions.zlib)
  for (const { path, source, mode } of files) {
    const { size, mtimeMs } = await stat(source)
    hash.update(`\n${JSON.stringify([path, mode, size, mtimeMs])}`)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Undefined where there is none, or a piece of one. */
async function readPart(folder: string): Promise<KeptPart | undefined> {
  const path = join(folder, partName)
  try {
    const { md5, unpackedBytes, notes, size }: Contents = JSON.parse(await readFile(join(folder, contentsName), 'utf8'))
    return (await stat(path)).size === size ? { part: { path, size }, md5, unpackedBytes, notes } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function describe(files: readonly AgentFile[]): Promise<Pick<Contents, 'md5' | 'unpackedBytes'>> {
  const md5: Record<string, string> = {}
  let unpackedBytes = 0
  for (const { path, source } of files) {
    unpackedBytes += (await stat(source)).size
    md5[path] = await hashOf(source)
  }
  return { md5, unpackedBytes }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('md5')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Those of other versions. */
async function removeOthers({ cacheDir, kind, key }: { cacheDir: string; kind: string; key: string }): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    const isOld = name.startsWith(`${kind}-`) && !name.startsWith(`${key}-`)
    if (isOld) await rm(join(cacheDir, name), { recursive: true, force: true })
  }
}

/** What a process was making in the folder that did not live to remove it; `madeAtMs` is the time of the disk. */
export async function removeAbandoned(folder: string, madeAtMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.startsWith(draftPrefix) && (await wasMadeBefore(path, madeAtMs - abandonedMs))) {
      await rm(path, { recursive: true, force: true })
    }
  }
}

async function wasMadeBefore(path: string, timeMs: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.mtimeMs < timeMs
}
