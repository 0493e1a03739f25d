import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline as joined } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { PackageArchitecture } from '@muster/contract/packages.ts'
import { fail } from '../../../base/errors.ts'
import { listCompanionFiles } from '../companion-files.ts'
import { keptPart } from '../kept-part.ts'
import type { PackagedNode } from '../runtimes/packaged-node.ts'
import { type BomFile, writeBom } from './bom.ts'
import { cpioHeader, cpioTrailer } from './cpio.ts'
import { lowestMacosOf } from './lowest-macos.ts'
import { macHome } from './mac-places.ts'
import { installNumbers } from './payload-numbers.ts'
import { foldersAbove } from './payload-paths.ts'
import { posixCksum } from './posix-cksum.ts'

/** They change with the files alone, so every organization's package has the same time for them; in seconds. */
const mtime = Date.parse('2026-01-01T00:00:00.000Z') / 1000

const nodePath = `${macHome}/bin/node`

/** The program and its Node, packed, and what the table of a package says of them: the same for every organization. */
export type MacPayload = {
  part: { path: string; size: number }
  /** Of the packed bytes, in hexadecimal. */
  sha1: string
  bom: Buffer
  numberOfFiles: number
  installKBytes: number
  lowestMacos: string
}

type PayloadFile = { path: string; mode: number; size: number; open: () => AsyncIterable<Buffer> }

/**
 * Makes the payload at the first call for this Node, which takes some seconds, and keeps it in `cacheDir`. It is one member of gzip:
 * RFC 1952 allows several, as the packages for Linux have them, but not everything that unpacks on a Mac reads more than the first.
 */
export async function openMacPayload(
  cacheDir: string,
  architecture: PackageArchitecture,
  node: PackagedNode,
): Promise<MacPayload> {
  const program = await listCompanionFiles(macHome)
  const files = [...program, { path: nodePath, source: node.part.path, mode: 0o755 }]
  const { part, notes } = await keptPart({ cacheDir, kind: `mac_${architecture}`, form: 'pkg', files }, async (to) =>
    writePayload(to, [...(await filesOf(program)), ...filesOfNode(node)]),
  )
  return { part, ...(notes as Notes), bom: Buffer.from(String(notes['bom']), 'base64') }
}

type Notes = Omit<MacPayload, 'part' | 'bom'>

async function filesOf(program: Awaited<ReturnType<typeof listCompanionFiles>>): Promise<PayloadFile[]> {
  return Promise.all(program.map(async ({ path, source, mode }) => inMemory(path, mode, await readFile(source))))
}

const inMemory = (path: string, mode: number, content: Buffer): PayloadFile => ({
  ...{ path, mode, size: content.length },
  open: async function* () {
    yield content
  },
})

const filesOfNode = ({ part, size, license }: PackagedNode): PayloadFile[] => [
  ...(license === undefined ? [] : [inMemory(`${macHome}/bin/LICENSE`, 0o644, Buffer.from(license))]),
  { path: nodePath, mode: 0o755, size, open: () => unpacked(part.path) },
]

// An error of the file ends what is read from it, where pipe() would leave it without an end.
const unpacked = (path: string) => joined(createReadStream(path), createGunzip(), () => {})

/** What is known of the files once they were read. */
type Read = { listed: BomFile[]; lowestMacos?: string }

/** The archive, a piece at a time; notes in `read` what it comes by. */
async function* archiveOf(files: readonly PayloadFile[], read: Read): AsyncGenerator<Buffer> {
  let [number, total] = [0, 0]
  const counted = (bytes: Buffer): Buffer => {
    total += bytes.length
    return bytes
  }
  const folders = foldersAbove(files.map(({ path }) => path)).map((path) => `./${path}`)
  for (const path of ['.', ...folders]) {
    number += 1
    yield counted(cpioHeader({ path, mode: 0o755, isFolder: true, size: 0 }, number, mtime))
  }
  for (const { path, mode, size, open } of files) {
    number += 1
    yield counted(cpioHeader({ path: `./${path}`, mode, isFolder: false, size }, number, mtime))
    const cksum = posixCksum()
    for await (const bytes of open()) {
      const lowest = path === nodePath ? lowestMacosOf(bytes) : undefined
      if (lowest !== undefined) read.lowestMacos ??= lowest
      cksum.update(bytes)
      yield counted(bytes)
    }
    read.listed.push({ path, mode, size, cksum: cksum.digest() })
  }
  yield cpioTrailer(total)
}

/** Writes the archive, and returns what a table says of it. */
async function writePayload(to: string, files: readonly PayloadFile[]): Promise<Record<string, string | number>> {
  const read: Read = { listed: [] }
  const sha1 = createHash('sha1')
  async function* summed(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      sha1.update(piece)
      yield piece
    }
  }
  await pipeline(archiveOf(files, read), createGzip(), summed, createWriteStream(to, { mode: 0o600 }))
  const { listed, lowestMacos } = read
  if (lowestMacos === undefined)
    fail('unavailable', { message: 'The Node for this Mac does not say which macOS it runs on: add another.' })
  const bom = writeBom(listed, mtime).toString('base64')
  return { sha1: sha1.digest('hex'), bom, ...installNumbers(listed), lowestMacos }
}
