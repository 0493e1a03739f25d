import { closeSync, createReadStream, createWriteStream, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { keptPart } from '../kept-part.ts'
import { isForGlibc } from './judge-executable.ts'
import type { PackagedNode } from './packaged-node.ts'

/** The Node of this server, which packages for Linux bring along unless another was added. */
export type OwnRuntime = { path: string; version: string; architecture: 'x64' | 'arm64' }

let found: { runtime: OwnRuntime | undefined } | undefined

/**
 * This process's own Node, if it runs on other Linux machines too: linked with glibc and, but for that and the C++
 * library, with nothing of this system. Undefined elsewhere, where devices need a Node of their own.
 */
export function ownRuntime(): OwnRuntime | undefined {
  found ??= { runtime: findRuntime() }
  return found.runtime
}

/** Whether that is the system of this process's own Node. */
export const isOwnSystem = (system: RuntimeSystem): boolean => system === `linux-${ownRuntime()?.architecture}`

function findRuntime(): OwnRuntime | undefined {
  const { arch: architecture } = process
  const shared = Object.entries(process.config.variables).some(
    ([name, value]) => name.startsWith('node_shared') && value === true,
  )
  const path = process.execPath
  if (process.platform !== 'linux' || shared || !isLinkedWithGlibc(path)) return undefined
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined
  return { path, version: process.versions.node, architecture }
}

function isLinkedWithGlibc(path: string): boolean {
  const head = Buffer.alloc(4096)
  const file = openSync(path, 'r')
  try {
    readSync(file, head, 0, head.length, 0)
  } finally {
    closeSync(file)
  }
  return isForGlibc(head)
}

/** As packages hold it, compressed at the first call and kept in the folder. */
export async function packOwnRuntime(cacheDir: string, runtime: OwnRuntime): Promise<PackagedNode> {
  const { path: source } = runtime
  const files = [{ path: 'node', source, mode: 0o755 }]
  const kept = await keptPart({ cacheDir, kind: 'node', form: 'gz', files }, async (part) => {
    await pipeline(createReadStream(source), createGzip(), createWriteStream(part, { mode: 0o600 }))
    return {}
  })
  return {
    part: kept.part,
    md5: kept.md5['node'] ?? '',
    size: kept.unpackedBytes,
    license: licenseOf(runtime),
    needsLibatomic: isLinkedWithLibatomic(),
  }
}

/** Its license, beside the program in a release of ours, above it where Node is unpacked or a package of npm; others keep it where they please. */
export function licenseOf({ path: executable }: OwnRuntime): string | undefined {
  const folder = dirname(dirname(executable))
  const places = [
    join(dirname(executable), 'LICENSE'),
    join(folder, 'LICENSE'),
    join(folder, `node_modules/node-linux-${process.arch}/LICENSE`),
  ]
  const found = places.find((path) => existsSync(path))
  return found === undefined ? undefined : readFileSync(found, 'utf8')
}

/** Whether this process is linked with GCC's library of atomic operations. */
export function isLinkedWithLibatomic(): boolean {
  // Without it, the report looks up the names of the peers of all connections.
  Object.assign(process.report, { excludeNetwork: true })
  const { sharedObjects }: { sharedObjects?: readonly string[] } = Object(process.report.getReport())
  return sharedObjects?.some((path) => path.includes('/libatomic.so.1')) ?? false
}
