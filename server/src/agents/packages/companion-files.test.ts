import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { companionBundle, root } from '../../../bin/bundle-stamp.js'
import { listCompanionFiles } from './companion-files.ts'

const bundle = readFileSync(companionBundle(), 'utf8')
/** The bundler names each module in a comment in front of its code. */
const modules = [...bundle.matchAll(/^\/\/ (.*)$/gm)].map(([, name = '']) => name)

test('the program of the companion is one file that needs nothing but Node', () => {
  const imported = [...bundle.matchAll(/^import .* from "(.+)";$/gm)].map(([, name = '']) => name)
  assert.ok(imported.length > 5)
  assert.deepEqual(
    imported.filter((name) => !isBuiltin(name)),
    [],
  )
  // Each would look for something beside the file, or for a package.
  assert.doesNotMatch(bundle, /import\.meta|\bimport\(|\brequire\(|__dirname|__filename|sourceMappingURL/)
})

test('the license of each package that is bundled into the companion goes along', async () => {
  const bundled = modules.flatMap((name) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name)?.[1] ?? [])
  const others = modules.filter((name) => !name.includes('node_modules/'))
  assert.ok(others.length > 20 && others.every((name) => name.startsWith('agent/src/')), others.join('\n'))
  const files = await listCompanionFiles('usr/lib/companion')
  assert.deepEqual(
    files.map(({ path }) => path.replace(/(licenses\/.*)\/[^/]+$/, '$1')),
    [
      'usr/lib/companion/companion.mjs',
      'usr/lib/companion/LICENSE',
      ...[...new Set(bundled)].toSorted().map((name) => `usr/lib/companion/licenses/${name}`),
    ],
  )
  for (const { source, path } of files.slice(1)) assert.match(readFileSync(source, 'utf8'), /copyright/i, path)
})

test('a package is not built of a companion that is not there', async () => {
  await assert.rejects(listCompanionFiles('usr/lib/companion', '/nowhere/companion.mjs'), {
    message: '/nowhere/companion.mjs is missing: run node scripts/prepare.ts',
  })
})

/** As much of the project as the bundle of the companion is made of, somewhere else. */
function projectIn(folder: string): string {
  const copied = ['package.json', 'agent', 'server/package.json', 'server/bundle.ts', 'server/bin', 'node_modules/jose']
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true })
  symlinkSync(join(root, 'node_modules/rolldown'), join(folder, 'node_modules/rolldown'))
  return join(folder, '.cache')
}

test('the bundle is the same wherever the project lies, and those of other versions are removed after a day', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-elsewhere-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const cache = projectIn(folder)
  const longAgo = new Date(Date.now() - 90_000_000)
  for (const name of ['companion-old', 'companion-recent', 'server-old'])
    mkdirSync(join(cache, name), { recursive: true })
  for (const name of ['companion-old', 'server-old']) utimesSync(join(cache, name), longAgo, longAgo)
  execFileSync(process.execPath, ['server/bundle.ts', '--companion'], { cwd: folder, stdio: 'pipe' })
  const [made = '', ...others] = readdirSync(cache).toSorted()
  assert.match(made, /^companion-[0-9a-f]{16}$/)
  assert.notEqual(made, dirname(companionBundle()).split('/').at(-1))
  assert.deepEqual(others, ['companion-recent', 'server-old'])
  assert.deepEqual(readdirSync(join(cache, made)), ['companion.mjs'])
  assert.equal(readFileSync(join(cache, made, 'companion.mjs'), 'utf8'), bundle)
})
