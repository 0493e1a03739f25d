import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { createTarDecoder } from 'modern-tar'
import { fail } from '../../../base/errors.ts'
import { faultOfExecutable } from './judge-executable.ts'
import { type ExecutableFacts, executableReader } from './read-executable.ts'

/** A Node as packages hold it: one member of gzip, the same for all of them. */
export type PackedRuntime = {
  system: RuntimeSystem
  version: string
  executable: ExecutableFacts
  /** Of Node; null where none came along. */
  license: string | null
  packed: { path: string; sha256: string; size: number }
}

type Packing = {
  system: RuntimeSystem
  /** A tarball of npm or of nodejs.org, or the executable itself. */
  file: string
  /** What a person calls it. */
  name: string
  /** A new file for the packed executable. */
  to: string
  signal: AbortSignal
}

const executablePath = /^[^/]+\/(?:bin\/node|bin\/node\.exe|node\.exe)$/
const licensePath = /^[^/]+\/LICENSE$/
const maxLicenseBytes = 2 ** 20
/** Of an executable, and of all that an archive unpacks to: today's are 150 MB and 160 MB. */
const maxBytes = 2 ** 29

/**
 * Takes the executable out of a file and compresses it. Memory is bounded by a few pieces. Fails with `invalid` where the file
 * holds no Node for that system; that the file is what was asked for, the caller has seen to.
 */
export async function packRuntime(packing: Packing): Promise<PackedRuntime> {
  const { system, file, name, to, signal } = packing
  const kind = await kindOf(file)
  if (kind === 'other archive') fail('invalid', { message: `${name} is a .zip or .xz: give the .tar.gz, or node.exe` })
  let found: { executable?: ExecutableFacts; license?: string } = {}
  try {
    if (kind === 'file') found.executable = await pack(createReadStream(file), to, signal)
    else {
      await pipeline(
        createReadStream(file),
        createGunzip(),
        bounded,
        async (bytes: AsyncIterable<Uint8Array>) => {
          found = await takeFromArchive(bytes, to, signal)
        },
        { signal },
      )
    }
  } catch (error) {
    signal.throwIfAborted()
    if (isOfDisk(error)) throw error
    fail('invalid', { message: `${name} cannot be unpacked: ${messageOf(error)}`, cause: error })
  }
  const { executable, license = null } = found
  const fault = executable ? faultOfExecutable(system, executable) : 'holds no bin/node and no node.exe'
  if (fault !== undefined || executable?.version === undefined) fail('invalid', { message: `${name} ${fault}.` })
  const packed = { path: to, sha256: await sha256Of(to), size: (await stat(to)).size }
  return { system, version: executable.version, executable, license, packed }
}

async function takeFromArchive(bytes: AsyncIterable<Uint8Array>, to: string, signal: AbortSignal) {
  const found: { executable?: ExecutableFacts; license?: string } = {}
  const entries = ReadableStream.from(bytes).pipeThrough(createTarDecoder({ strict: true }))
  for await (const { header, body } of entries) {
    const isFile = header.type === 'file'
    if (isFile && !found.executable && executablePath.test(header.name)) found.executable = await pack(body, to, signal)
    else if (isFile && licensePath.test(header.name)) found.license = await readLicense(body, header.size)
    else await drain(body)
  }
  return found
}

/** Read and not canceled, since modern-tar takes the end of one entry that is canceled for the end of the next. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}

async function pack(source: AsyncIterable<Uint8Array>, to: string, signal: AbortSignal): Promise<ExecutableFacts> {
  const reader = executableReader()
  await pipeline(source, bounded, reader.pass, createGzip(), createWriteStream(to, { flags: 'wx', mode: 0o600 }), {
    signal,
  })
  return reader.facts()
}

async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const bytes of source) {
    size += bytes.length
    if (size > maxBytes) throw new Error('it unpacks to more than 512 MB')
    yield bytes
  }
}

async function readLicense(body: ReadableStream<Uint8Array>, size: number): Promise<string> {
  if (size > maxLicenseBytes) throw new Error('its LICENSE is larger than 1 MB')
  // PostgreSQL's text takes no NUL.
  return (await new Response(body).text()).replaceAll('\0', '')
}

async function kindOf(path: string): Promise<'archive' | 'other archive' | 'file'> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(6), 0, 6, 0)
    const magic = buffer.toString('hex')
    if (magic.startsWith('1f8b')) return 'archive'
    return magic.startsWith('504b0304') || magic === 'fd377a585a00' ? 'other archive' : 'file'
  } finally {
    await file.close()
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** What the file is not to blame for. */
const isOfDisk = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && ['write', 'open', 'read'].includes(String(error.syscall))

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
