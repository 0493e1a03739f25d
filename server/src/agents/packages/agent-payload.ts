import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { packTar, type TarSource } from 'modern-tar/fs'
import { hourMs } from '../../base/time.ts'
import { type AgentFile, listAgentFiles } from './agent-files.ts'
import type { Payload } from './linux-package.ts'
import { fileHeader } from './tar-gz.ts'

/** They change with the files alone, so every organization's package has the same time for them. */
const mtime = new Date('2026-01-01T00:00:00.000Z')
const draftPrefix = 'draft-'
const abandonedMs = hourMs
const archiveName = 'end.tar.gz'
const contentsName = 'contents.json'

type Contents = Pick<Payload, 'md5' | 'unpackedBytes'> & { size: number }

export type PayloadPlace = {
  cacheDir: string
  /** Before the names of what it keeps there. */
  kind: 'agent' | 'osquery'
  /** The folder below which the files are installed. */
  home: string
  format: string
  /** What the paths in the archive begin with. */
  prefix: string
}

/**
 * The agent's program and its Node as the end of a `.tar.gz`, packed at the first call and kept in `cacheDir`:
 * compressing Node takes seconds and is the same for every organization. `cacheDir` keeps those of one version of the
 * agent.
 */
export async function openAgentPayload({ cacheDir, kind, home, format, prefix }: PayloadPlace): Promise<Payload> {
  const files = await listAgentFiles(home)
  const key = `${kind}-${await fingerprint(files)}`
  const folder = join(cacheDir, `${key}-${format}`)
  const found = await readPayload(folder)
  if (found) return found
  await mkdir(cacheDir, { recursive: true, mode: 0o700 })
  const draft = join(cacheDir, `${draftPrefix}${randomBytes(6).toString('hex')}`)
  await mkdir(draft, { mode: 0o700 })
  try {
    await writePayload(draft, files, prefix)
    await rm(folder, { recursive: true, force: true })
    // Another process may have been faster, with the same bytes.
    await rename(draft, folder).catch((error: unknown) =>
      readPayload(folder).then((there) => there ?? Promise.reject(error)),
    )
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await removeOthers({ cacheDir, kind, key }, (await stat(folder)).mtimeMs)
  const made = await readPayload(folder)
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

/** Undefined where there is none, or a part of one. */
async function readPayload(folder: string): Promise<Payload | undefined> {
  const path = join(folder, archiveName)
  try {
    const { md5, unpackedBytes, size }: Contents = JSON.parse(await readFile(join(folder, contentsName), 'utf8'))
    return (await stat(path)).size === size ? { part: { path, size }, md5, unpackedBytes } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function writePayload(folder: string, files: readonly AgentFile[], prefix: string): Promise<void> {
  const md5: Record<string, string> = {}
  let unpackedBytes = 0
  const sources: TarSource[] = []
  for (const { path, source, mode } of files) {
    const { size } = await stat(source)
    unpackedBytes += size
    md5[path] = await hashOf(source)
    const { name: target, type: _, size: __, ...header } = fileHeader(`${prefix}${path}`, mode, size, mtime)
    sources.push({ ...header, type: 'file', source, target })
  }
  const archive = join(folder, archiveName)
  await pipeline(packTar(sources, { concurrency: 1 }), createGzip(), createWriteStream(archive, { mode: 0o600 }))
  const contents: Contents = { md5, unpackedBytes, size: (await stat(archive)).size }
  await writeFile(join(folder, contentsName), JSON.stringify(contents), { mode: 0o600 })
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('md5')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Those of other versions, and drafts that their process did not live to remove. */
async function removeOthers(
  { cacheDir, kind, key }: { cacheDir: string; kind: string; key: string },
  madeAtMs: number,
): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name)
    const isOld = name.startsWith(`${kind}-`) && !name.startsWith(`${key}-`)
    if (isOld || (name.startsWith(draftPrefix) && (await wasMadeBefore(path, madeAtMs - abandonedMs)))) {
      await rm(path, { recursive: true, force: true })
    }
  }
}

async function wasMadeBefore(path: string, timeMs: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.mtimeMs < timeMs
}
