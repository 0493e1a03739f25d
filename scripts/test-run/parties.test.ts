import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { classifyFile } from './classify-file.ts'
import { importGraph } from './import-graph.ts'
import { isInstalled, leaveOutAbsent, partyOf, readNeeds } from './parties.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'muster-parties-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const tree: Record<string, string> = {
  'a.test.ts':
    "// Party: A web server: httpd=web-server /usr/lib/module.so=web-module\nimport { chromium } from 'playwright-core'",
  'b.test.ts': '// Party: A web server: httpd=web-server xvfb\n',
  'c.test.ts': '// Party: a-library\n',
  'd.test.ts': "import { test } from 'node:test'\n",
  'e.test.ts': '// Party: A new compiler: compiler=none httpd=web-server\n',
}
const graph = importGraph((path) => tree[path] ?? '')
const files = Object.keys(tree).map((path) => classifyFile(path, graph))
const left = (there: readonly string[]) => {
  const { present, leftOut } = leaveOutAbsent(files, (what) => there.includes(what))
  return [
    present.map(({ path }) => path[0]).join(''),
    ...leftOut.map(({ line, isInstallable }) => [line, isInstallable]),
  ]
}

test('a file that declares a party has a process of its own', () => {
  assert.deepEqual(
    files.map(({ kind, needsOwnProcess }) => [kind, needsOwnProcess]),
    [
      ['stranger', true],
      ['stranger', true],
      ['stranger', true],
      ['plain', false],
      ['stranger', true],
    ],
  )
})

test('a party that lacks a program is left out with one line, however many files are about it', () => {
  const all = ['httpd', '/usr/lib/module.so', 'xvfb', 'compiler']
  assert.deepEqual(left(all), ['abcde'])
  const without = (...gone: readonly string[]) => left(all.filter((what) => !gone.includes(what)))
  assert.deepEqual(without('xvfb'), ['acde', ['Left out: A web server, because it needs xvfb.', true]])
  assert.deepEqual(without('httpd', '/usr/lib/module.so'), [
    'cd',
    [
      'Left out: A web server, because it needs httpd (Debian: web-server) and /usr/lib/module.so (Debian: web-module).',
      true,
    ],
    ['Left out: A new compiler, because it needs httpd (Debian: web-server).', true],
  ])
})

test('what Debian does not have is told from what can be installed', () => {
  const all = ['httpd', '/usr/lib/module.so', 'xvfb']
  assert.deepEqual(left(all), ['abcd', ['Left out: A new compiler, because it needs compiler.', false]])
  assert.deepEqual(left(all.slice(1)).at(-1), [
    'Left out: A new compiler, because it needs compiler and httpd (Debian: web-server).',
    true,
  ])
})

test('only a line of its own declares a party', () => {
  assert.equal(partyOf("const text = '// Party: none: x'"), undefined)
  assert.deepEqual(partyOf('// One engine: x.\n// Party: one: x y=z /w=v u=none\n'), {
    name: 'one',
    needs: [{ what: 'x', package: 'x' }, { what: 'y', package: 'z' }, { what: '/w', package: 'v' }, { what: 'u' }],
  })
})

test('a file names its package, which its path does not tell', () => {
  assert.throws(() => partyOf('// Party: one: /usr/lib/module.so'), /\/usr\/lib\/module\.so .* which package has it/)
})

test('only Go is not taken from Debian, and the script of CI installs what the parties name', async () => {
  const needs = await readNeeds(root)
  const names = needs.map((need) => need.package).filter((name) => name !== undefined)
  assert.deepEqual([...new Set(needs.filter((need) => need.package === undefined).map(({ what }) => what))], ['go'])
  const printed = execFileSync(process.execPath, [join(root, 'scripts/party-packages.ts')], { encoding: 'utf8' })
  assert.deepEqual(printed.trim().split(' '), [...new Set(names)].sort())
})

/** Ubuntu and others have the same programs in other packages. */
const isDebian = existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))

test('what a party needs is in the package that it names', { skip: !isDebian && 'not on Debian' }, async () => {
  const needs = (await readNeeds(root)).filter((need) => need.package !== undefined)
  const places = [...new Set(needs.flatMap(({ what }) => placesOf(what)))].filter((place) => existsSync(place))
  // It fails where one of them belongs to no package, and names the others all the same.
  const { stdout } = spawnSync('dpkg-query', ['--search', ...places], { encoding: 'utf8' })
  const owners = new Map(stdout.split('\n').map((line) => line.split(': ').reverse() as [string, string]))
  const owned = needs.flatMap(({ what, package: named }) =>
    placesOf(what).flatMap((place) => (owners.has(place) ? [{ what, named, owner: owners.get(place) }] : [])),
  )
  // A Debian has dpkg.
  assert.notEqual(owned.length, 0)
  for (const { what, named, owner } of owned) assert.equal(owner, named, what)
})

/** Where packages put a program; what is in other folders came by hand. */
const placesOf = (what: string) => (what.startsWith('/') ? [what] : [`/usr/bin/${what}`, `/usr/sbin/${what}`])

test('a program is found in the search path, and a file at its path', () => {
  writeFileSync(join(folder, 'program'), '', { mode: 0o755 })
  writeFileSync(join(folder, 'file'), '', { mode: 0o644 })
  assert.deepEqual(
    ['program', 'file', 'nothing', join(folder, 'file'), join(folder, 'nothing')].map((need) =>
      isInstalled(need, folder),
    ),
    [true, false, false, true, false],
  )
})
