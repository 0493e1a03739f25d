import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { listAgentFiles } from './agent-files.ts'
import { agentRuntime } from './agent-runtime.ts'
import { keptPart } from './kept-part.ts'
import type { Payload } from './linux-package.ts'
import { beginFile, endTar, fileEntries } from './tar-gz.ts'

/** They change with the files alone, so every organization's package has the same time for them. */
const mtime = new Date('2026-01-01T00:00:00.000Z')

export type PayloadPlace = {
  cacheDir: string
  /** Before the names of what it keeps there. */
  kind: 'agent' | 'companion'
  /** The folder below which the files are installed. */
  home: string
  format: string
  /** What the paths in the archive begin with. */
  prefix: string
}

/**
 * The agent's program and its Node as the end of a `.tar.gz`, compressed at the first call and kept in `cacheDir`.
 * Compressing Node takes seconds, so its bytes are a gzip member of their own, which all packages share.
 */
export async function openAgentPayload(place: PayloadPlace): Promise<Payload> {
  const [program, node] = [await keepProgram(place), await keepNode(place.cacheDir)]
  if (!node) return { ...program, parts: [program.part, await endTar(0)] }
  const path = `${place.home}/bin/node`
  const { unpackedBytes: size, md5 } = node
  return {
    parts: [program.part, await beginFile(`${place.prefix}${path}`, 0o755, size, mtime), node.part, await endTar(size)],
    md5: { ...program.md5, [path]: md5['node'] ?? '' },
    unpackedBytes: program.unpackedBytes + size,
  }
}

async function keepProgram({ cacheDir, kind, home, format, prefix }: PayloadPlace) {
  const files = await listAgentFiles(home)
  return keptPart({ cacheDir, kind, form: format, files }, async (part) => {
    const tree = files.map(async ({ path, source, mode }) => {
      return { path: `${prefix}${path}`, mode, content: await readFile(source) }
    })
    await writeFile(part, await fileEntries(await Promise.all(tree), mtime), { mode: 0o600 })
  })
}

/** Undefined where devices need a Node of their own. */
async function keepNode(cacheDir: string) {
  const source = agentRuntime()?.path
  if (source === undefined) return undefined
  const files = [{ path: 'node', source, mode: 0o755 }]
  return keptPart({ cacheDir, kind: 'node', form: 'gz', files }, (part) =>
    pipeline(createReadStream(source), createGzip(), createWriteStream(part, { mode: 0o600 })),
  )
}
