import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { packageBuilder } from '../../src/agents/packages/package-builder.ts'
import type { OpenNode } from '../../src/agents/packages/runtimes/packaged-node.ts'
import { madeNode } from './made-node.ts'
import { packageSource } from './written-packages.ts'

type Hooks = { after(work: () => Promise<void>): void }

/** Builds packages of the companion for a Mac, with a folder of its own for what they share. */
export function macPackages(hooks: Hooks, executable = madeNode('darwin-arm64')) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-mac-'))
  hooks.after(() => rm(folder, { recursive: true, force: true }))
  const packed = gzipSync(executable)
  const openNode: OpenNode = async () => {
    const path = join(folder, 'node.gz')
    await writeFile(path, packed, { flag: 'wx' }).catch(() => {})
    const md5 = createHash('md5').update(executable).digest('hex')
    const part = { path, size: packed.length }
    return { part, md5, size: executable.length, license: 'Node’s license', needsLibatomic: false }
  }
  const builder = packageBuilder({ open: openNode, ofMacs: async () => [] }, folder)
  const source = (changed: Parameters<typeof packageSource>[0] = {}) =>
    packageSource({
      ...{ agent: 'muster_companion', platform: 'darwin', format: 'pkg', architecture: 'arm64' },
      ...changed,
    })
  return {
    folder,
    executable,
    build: (changed: Parameters<typeof source>[0], secret: string) => builder.build(source(changed), secret),
    async bytes(changed: Parameters<typeof source>[0], secret: string): Promise<Buffer> {
      return buffer((await builder.build(source(changed), secret)).open())
    },
  }
}
