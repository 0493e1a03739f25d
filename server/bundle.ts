import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { bundleFolder, companionBundle, root } from './bin/bundle-stamp.js'

// node server/bundle.ts              bundles the server and the companion
// node server/bundle.ts --companion  the companion alone, which takes less than a second

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

async function bundleServer(dir: string): Promise<void> {
  await using bundle = await rolldown({
    input: join(root, 'server/src/cli/main.ts'),
    platform: 'node',
    external: leftOut,
    plugins: [sameAddresses],
    logLevel: 'silent',
  })
  await bundle.write({
    dir,
    format: 'esm',
    sourcemap: 'hidden',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
}

/** The same bytes wherever the project lies: comments name modules from the root, by which a test finds the packages that are in it. */
async function bundleCompanion(dir: string): Promise<void> {
  await using bundle = await rolldown({
    input: join(root, 'agent/src/companion/companion-program.ts'),
    cwd: root,
    platform: 'node',
    logLevel: 'silent',
    experimental: { attachDebugInfo: 'simple' },
  })
  const { output } = await bundle.write({
    file: join(dir, basename(companionBundle())),
    format: 'esm',
    codeSplitting: false,
  })
  const imported = output.flatMap((part) => (part.type === 'chunk' ? [...part.imports, ...part.dynamicImports] : []))
  const missing = imported.filter((name) => !isBuiltin(name))
  if (missing.length > 0) throw new Error(`The companion needs what no device has: ${missing.join(', ')}`)
}

/** Makes what is not there yet. Renamed into place, so it is whole wherever its name exists. */
async function makeBundle(folder: string, write: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  const draft = `${folder}.${randomUUID()}`
  try {
    await write(draft)
    await rename(draft, folder).catch((error: unknown) => existsSync(folder) || Promise.reject(error))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await removeOld(folder)
}

/** A running server may still load parts of its own, so those of other versions stay for a day. */
async function removeOld(current: string): Promise<void> {
  const parent = dirname(current)
  const [kind] = basename(current).split('-')
  for (const name of await readdir(parent)) {
    const path = join(parent, name)
    if (!name.startsWith(`${kind}-`) || path === current) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > keptForMs) await rm(path, { recursive: true, force: true })
  }
}

if (!process.argv.includes('--companion')) await makeBundle(bundleFolder(), bundleServer)
await makeBundle(dirname(companionBundle()), bundleCompanion)
