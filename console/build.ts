import { createHash } from 'node:crypto'
import { glob, mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const stamp = `${root}dist/.sources`
const turn = `${root}../.cache/console-build`
const turnMayTakeMs = 60_000
const isWanted = !process.argv.includes('--when-stale')
/** In bytes: code as Brotli sends it. Latin Extended is left out: only names that need it load it. */
const budgets = { code: 200_000, fonts: 60_000 }
const sources = ['index.html', 'build.ts', 'package.json', 'public/**/*', 'src/**/*', '../contract/src/**/*.{ts,json}']

/** What the built files were made of: the build is skipped while it is the same. */
async function digestSources(): Promise<string> {
  const hash = createHash('sha256')
  const files = await Array.fromAsync(glob(sources, { cwd: root, withFileTypes: true }))
  const paths = files.filter((file) => file.isFile()).map((file) => `${file.parentPath}/${file.name}`)
  for (const path of paths.sort()) hash.update(path.slice(root.length)).update(await readFile(path))
  return hash.digest('hex')
}

/** Once at build time instead of for each request. */
async function compressFiles(): Promise<void> {
  for await (const name of glob('dist/**/*.{js,css,html,svg}', { cwd: root })) {
    const bytes = await readFile(root + name)
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }
    const [zipped, packed] = await Promise.all([
      promisify(gzip)(bytes, { level: 9 }),
      promisify(brotliCompress)(bytes, options),
    ])
    await writeFile(`${root}${name}.gz`, zipped)
    await writeFile(`${root}${name}.br`, packed)
  }
}

/** Pages need a contract's types and plain values; a schema library in the browser is weight without use. */
const refuseSchemas: Plugin = {
  name: 'refuse-schemas',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      const ids = chunk.type === 'chunk' ? chunk.moduleIds : []
      const schema = ids.find((id) => /node_modules\/typebox\//.test(id))
      if (schema) throw new Error(`${chunk.fileName} has ${schema}: import plain values instead`)
    }
  },
}

const sizeOf = async (path: string): Promise<number> => (await stat(path)).size
const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)

/** What every visit loads before its page: scripts and styles as the browser gets them, and fonts. */
async function holdToBudgets(): Promise<void> {
  const html = await readFile(`${root}dist/index.html`, 'utf8')
  const first = [...html.matchAll(/\/console\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
  const css = await Promise.all(
    first.filter((path) => path.endsWith('.css')).map((path) => readFile(`${root}dist/${path}`, 'utf8')),
  )
  const fonts = [...css.join('').matchAll(/url\(\/console\/(assets\/[^)]+\.woff2)\)/g)].map(([, path = '']) => path)
  const usual = fonts.filter((path) => !path.includes('latin-ext'))
  const found = {
    code: sum(await Promise.all(first.map((path) => sizeOf(`${root}dist/${path}.br`)))),
    fonts: sum(await Promise.all(usual.map((path) => sizeOf(`${root}dist/${path}`)))),
  }
  for (const [what, bytes] of Object.entries(found)) {
    const max = budgets[what as keyof typeof budgets]
    if (isWanted) console.log(`First load, ${what}: ${(bytes / 1000).toFixed(1)} of ${max / 1000} kB`)
    if (bytes > max) throw new Error(`The first load has ${bytes} bytes of ${what}; ${max} are allowed`)
  }
}

/** Servers that start at the same time find the same console stale: one builds it, the others wait. */
async function takeTurn(): Promise<() => Promise<void>> {
  await mkdir(`${root}../.cache`, { recursive: true })
  for (;;) {
    const isTaken = await mkdir(turn).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EEXIST' || Promise.reject(error),
    )
    if (!isTaken) return () => rmdir(turn)
    const { mtimeMs } = await stat(turn).catch(() => ({ mtimeMs: Date.now() }))
    // Left behind by a build that was killed.
    if (Date.now() - mtimeMs > turnMayTakeMs) await rmdir(turn).catch(() => {})
    else await pause(100)
  }
}

async function buildWhenDue(): Promise<void> {
  const digest = await digestSources()
  const isStale = async () => digest !== (await readFile(stamp, 'utf8').catch(() => ''))
  if (process.argv.includes('--check')) {
    process.exitCode = (await isStale()) ? 1 : 0
    return
  }
  if (!isWanted && !(await isStale())) return
  const endTurn = await takeTurn()
  try {
    if (isWanted || (await isStale())) await buildConsole(digest)
  } finally {
    await endTurn()
  }
}

async function buildConsole(digest: string): Promise<void> {
  const startedAt = performance.now()
  console.log('Building the console, once for this version; some seconds…')
  // A test environment would have React's development build bundled.
  process.env['NODE_ENV'] = 'production'
  const { build } = await import('vite')
  const { mantineVariables } = await import('./src/theme/mantine-variables.ts')
  const { operationAddresses } = await import('./src/api/operation-addresses.ts')
  await build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic' } },
    plugins: [mantineVariables, operationAddresses, refuseSchemas],
    build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  })
  await compressFiles()
  await holdToBudgets()
  await mkdir(`${root}dist`, { recursive: true })
  await writeFile(stamp, digest)
  console.log(`The console is built, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

await buildWhenDue().catch((error: unknown) => {
  // The API and the agents do without the console; its address says that it is not built.
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  console.error(isMissing ? 'The console is not built: its packages are not installed (npm ci)' : error)
  if (isWanted) process.exitCode = 1
})
