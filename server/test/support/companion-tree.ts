import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { licenseOf, ownRuntime } from '../../src/agents/packages/runtimes/own-runtime.ts'

const runtime = ownRuntime()
/** Where the package of the companion installs its program. */
export const companionHome = 'usr/lib/muster-companion'
/** All that lies below that folder: one file of the program, its scripts and licenses, and its Node. */
export const companionTree: readonly string[] = [
  ...['LICENSE', 'activate', 'companion.mjs', 'deactivate', 'licenses/jose/LICENSE.md', 'muster-companion'],
  ...(runtime ? ['bin/node'] : []),
  ...(runtime && licenseOf(runtime) !== undefined ? ['bin/LICENSE'] : []),
].toSorted()
/** As packages have brought it before it was one file. */
export const earlierTree: readonly string[] = [
  ...['agent/package.json', 'agent/src/companion/companion-program.ts', 'LICENSE', 'muster-companion'],
  ...['node_modules/jose/package.json', 'node_modules/wa-sqlite/dist/wa-sqlite.wasm'],
].map((path) => `${companionHome}/${path}`)

/** The files at any depth, in order. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted()
}

/** Leaves it below `root` as an archive did, which no package manager knows of. */
export async function writeEarlierTree(root: string): Promise<void> {
  for (const path of earlierTree) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), '')
  }
}
