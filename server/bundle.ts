import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { bundleFolder, root } from './bin/bundle-stamp.js'

// The server's modules and those of its packages are 2,900 files, and finding and reading them is most of what the main
// thread of a start does. As one bundle they take a third of it, and less memory.

/** They read files beside their own, or are run by the engine's thread, which starts from the sources. */
const leftOut = [/^pg-native$/, /^@electric-sql\/pglite/, /^libpg-query$/, /^@scalar\//]
const keptForMs = 86_400_000

/** Files that a module finds beside itself stay where they are; the bundle lies two folders below the root, wherever that is. */
const sameAddresses: Plugin = {
  name: 'same-addresses',
  transform(code, id) {
    if (id.startsWith('\0') || !/import\.meta|__dirname|__filename/.test(code)) return null
    const file = `/../../${relative(root, id)}`
    // A name that no module has: what is put in is not looked through again.
    const fileUrl = `new URL(${JSON.stringify(`.${file}`)}, \0.url).href`
    const below = (path: string) => `(\0.dirname + ${JSON.stringify(path)})`
    return code
      .replaceAll('import.meta.url', fileUrl)
      .replaceAll('import.meta.dirname', below(dirname(file)))
      .replace(/(?<![\w.])__dirname\b/g, below(dirname(file)))
      .replace(/(?<![\w.])__filename\b/g, below(file))
      .replaceAll('\0', 'import.meta')
  },
}

/** Renamed into place, so it is whole wherever its name exists. */
async function buildBundle(folder: string): Promise<void> {
  const draft = `${folder}.${randomUUID()}`
  try {
    const bundle = await rolldown({
      input: join(root, 'server/src/cli/main.ts'),
      platform: 'node',
      external: leftOut,
      plugins: [sameAddresses],
      logLevel: 'silent',
    })
    await bundle.write({
      dir: draft,
      format: 'esm',
      sourcemap: 'hidden',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    })
    await bundle.close()
    await rename(draft, folder).catch((error: unknown) => existsSync(folder) || Promise.reject(error))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** A running server may still load parts of its own, so those of other versions stay for a day. */
async function removeOld(current: string): Promise<void> {
  const parent = dirname(current)
  for (const name of await readdir(parent)) {
    const path = join(parent, name)
    if (!name.startsWith('server-') || path === current) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > keptForMs) await rm(path, { recursive: true, force: true })
  }
}

const folder = bundleFolder()
if (!existsSync(folder)) {
  await buildBundle(folder)
  await removeOld(folder)
}
