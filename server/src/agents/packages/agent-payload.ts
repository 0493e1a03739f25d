import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { listAgentFiles } from './agent-files.ts'
import { listCompanionFiles } from './companion-files.ts'
import { keptPart } from './kept-part.ts'
import type { Payload } from './linux-package.ts'
import type { PackagedNode } from './runtimes/packaged-node.ts'
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
 * The agent's program and its Node as the end of a `.tar.gz`. What is the same for all organizations is compressed at the first
 * call and kept in `cacheDir`. Compressing Node takes seconds, so its bytes are a gzip member of their own, which all packages share.
 */
export async function openAgentPayload(place: PayloadPlace, node: PackagedNode | undefined): Promise<Payload> {
  const { home, prefix } = place
  const program = await keepProgram(place)
  if (!node) return { ...program, parts: [program.part, await endTar(0)] }
  const path = `${home}/bin/node`
  const { size, license } = node
  const licenses = license === undefined ? [] : [{ path: `${home}/bin/LICENSE`, mode: 0o644, content: license }]
  return {
    parts: [
      program.part,
      await fileEntries(
        licenses.map((file) => ({ ...file, path: `${prefix}${file.path}` })),
        mtime,
      ),
      await beginFile(`${prefix}${path}`, 0o755, size, mtime),
      node.part,
      await endTar(size),
    ],
    md5: {
      ...program.md5,
      ...Object.fromEntries(licenses.map(({ path: of, content }) => [of, md5Of(content)])),
      [path]: node.md5,
    },
    unpackedBytes: program.unpackedBytes + size + Buffer.byteLength(license ?? ''),
  }
}

const md5Of = (text: string): string => createHash('md5').update(text).digest('hex')

async function keepProgram({ cacheDir, kind, home, format, prefix }: PayloadPlace) {
  const files = await (kind === 'agent' ? listAgentFiles : listCompanionFiles)(home)
  return keptPart({ cacheDir, kind, form: format, files }, async (part) => {
    const tree = files.map(async ({ path, source, mode }) => {
      return { path: `${prefix}${path}`, mode, content: await readFile(source) }
    })
    await writeFile(part, await fileEntries(await Promise.all(tree), mtime), { mode: 0o600 })
    return {}
  })
}
