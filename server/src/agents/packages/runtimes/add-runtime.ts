import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { type Db, transact } from '../../../base/db/transact.ts'
import { fail } from '../../../base/errors.ts'
import { draftPrefix } from '../kept-part.ts'
import { openMacPayload } from '../macos/mac-payload.ts'
import { copyOf, removeOldCopies } from './added-runtime.ts'
import { fetchRuntime, tarballUrl } from './fetch-runtime.ts'
import { type PackedRuntime, packRuntime } from './pack-runtime.ts'
import { packagedNodes } from './packaged-node.ts'
import { pinnedRuntimes } from './pinned-runtimes.ts'
import { findRuntime } from './runtime-queries.ts'
import { storeRuntime } from './store-runtime.ts'

/** Where a Node comes from: a registry of npm, or bytes with a hash that the person who gives them knows. */
export type RuntimeSource =
  | { registry: string }
  /** `sha256` in hexadecimal, of either case. */
  | { bytes: AsyncIterable<Uint8Array>; name: string; sha256: string }

type Adding = {
  system: RuntimeSystem
  source: RuntimeSource
  now: string
  signal: AbortSignal
  /** Is told what is being done, a line at a time. */
  tell: (line: string) => Promise<void>
  pins?: typeof pinnedRuntimes
}

/** Of a file that is given, in bytes. */
const maxFileBytes = 2 ** 29

/**
 * Brings the Node for a system to the deployment, in place of the one that is there. Files lie in `folder` while it works, and
 * memory is bounded by a few pieces. Returns its version. Fails with `unavailable` where a registry does not give it, with `invalid`
 * where it is not what it should be; nothing has changed then.
 */
export async function addRuntime(
  { db, folder }: { db: Db; folder: string },
  { system, source, now, signal, tell, pins = pinnedRuntimes }: Adding,
): Promise<string> {
  const { [system]: pinned } = pins
  const found = await findRuntime(db, system)
  if ('registry' in source && found?.source === 'npm' && found.node_version === pinned.version) {
    await tell(`Node ${pinned.version} for ${system} is here already`)
    return pinned.version
  }
  const draft = await mkdtemp(join(folder, draftPrefix))
  try {
    const file = join(draft, 'file')
    if ('registry' in source) {
      const url = tarballUrl(pinned, source.registry)
      await tell(`Fetching ${url} (${Math.ceil(pinned.size / 1e6)} MB)`)
      const onBytes = tellQuarters(pinned.size, tell)
      await fetchRuntime({ pinned, registry: source.registry, to: file, signal, onBytes })
    } else await takeFile(source, file, signal)
    await tell('Compressing it, which takes some seconds')
    const name = 'registry' in source ? tarballUrl(pinned, source.registry) : source.name
    const packed = await packRuntime({ system, file, name, to: join(draft, 'packed'), signal })
    await keep({ db, folder }, packed, { source: 'registry' in source ? 'npm' : 'file', now })
    await preparePayload({ db, folder }, system, tell)
    return packed.version
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** What packages for a Mac share takes some seconds to make: here, and not when the first of them is downloaded. */
async function preparePayload(
  { db, folder }: { db: Db; folder: string },
  system: RuntimeSystem,
  tell: Adding['tell'],
): Promise<void> {
  const architecture = (['arm64', 'x64'] as const).find((one) => system === `darwin-${one}`)
  if (!architecture) return
  await tell('Packing it with the companion, which takes some seconds')
  const node = await packagedNodes(db)(folder, { platform: 'darwin', architecture })
  await openMacPayload(folder, architecture, node)
}

/** Tells of each quarter of so many bytes that has come. */
function tellQuarters(size: number, tell: Adding['tell']): (bytes: number) => void {
  let told = 0
  return (bytes) => {
    const quarters = Math.floor((4 * bytes) / size)
    if (quarters === told || quarters === 4) return
    told = quarters
    // Whoever does not read it anymore is noticed by the next line that is waited for.
    void tell(`${25 * quarters} % is here`).catch(() => {})
  }
}

/** Writes nothing where that executable is there: another zlib may compress it to other bytes, and packages would change. */
async function keep(
  { db, folder }: { db: Db; folder: string },
  runtime: PackedRuntime,
  origin: { source: 'npm' | 'file'; now: string },
): Promise<void> {
  const found = await findRuntime(db, runtime.system)
  if (found?.sha256 === runtime.executable.sha256 && found.source === origin.source) return
  await transact(db, (tx) => storeRuntime(tx, runtime, origin))
  const copy = copyOf(folder, runtime.packed.sha256)
  await rename(runtime.packed.path, copy)
  await removeOldCopies(db, folder, copy)
}

type GivenFile = Extract<RuntimeSource, { bytes: unknown }>

async function takeFile({ bytes, name, sha256 }: GivenFile, to: string, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256')
  let size = 0
  await pipeline(
    bytes,
    async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        size += piece.length
        if (size > maxFileBytes) fail('invalid', { message: `${name} is larger than 512 MB.` })
        hash.update(piece)
        yield piece
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600 }),
    { signal },
  )
  const found = hash.digest('hex')
  if (found === sha256.toLowerCase()) return
  fail('invalid', { message: `${name} has the SHA-256 ${found}, not the one that you gave: download it again.` })
}
