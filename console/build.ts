import { createHash } from 'node:crypto'
import { glob, mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = fileURLToPath(new URL('.', import.meta.url))
const stamp = `${root}dist/.sources`
const turn = `${root}../.cache/console-build`
const turnMayTakeMs = 60_000
const sources = [
  'index.html',
  'build.ts',
  'package.json',
  'public/**/*',
  'src/**/*',
  '../contract/src/**/*.ts',
  '../agent/src/simulate/table-columns.ts',
]

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
  const isWanted = !process.argv.includes('--when-stale')
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
  const { build } = await import('vite')
  const { mantineVariables } = await import('./src/theme/mantine-variables.ts')
  await build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic' } },
    plugins: [mantineVariables],
    build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  })
  await compressFiles()
  await mkdir(`${root}dist`, { recursive: true })
  await writeFile(stamp, digest)
  console.log(`The console is built, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

await buildWhenDue().catch((error: unknown) => {
  // The API and the agents do without the console; its address says that it is not built.
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  console.error(isMissing ? 'The console is not built: its packages are not installed (npm ci)' : error)
  if (!process.argv.includes('--when-stale')) process.exitCode = 1
})
