import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { classifyFile } from './classify-file.ts'
import { importGraph } from './import-graph.ts'
import { isInstalled, leaveOutAbsent, partyOf } from './parties.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-parties-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const tree: Record<string, string> = {
  'a.test.ts': "// Party: A web server: httpd /usr/lib/module.so\nimport { chromium } from 'playwright-core'",
  'b.test.ts': '// Party: A web server: httpd xvfb\n',
  'c.test.ts': '// Party: a-library\n',
  'd.test.ts': "import { test } from 'node:test'\n",
}
const graph = importGraph((path) => tree[path] ?? '')
const files = Object.keys(tree).map((path) => classifyFile(path, graph))
const left = (there: readonly string[]) => {
  const { present, lines } = leaveOutAbsent(files, (need) => there.includes(need))
  return [present.map(({ path }) => path[0]).join(''), ...lines]
}

test('a file that declares a party has a process of its own', () => {
  assert.deepEqual(
    files.map(({ kind, needsOwnProcess }) => [kind, needsOwnProcess]),
    [
      ['stranger', true],
      ['stranger', true],
      ['stranger', true],
      ['plain', false],
    ],
  )
})

test('a party that lacks a program is left out with one line, however many files are about it', () => {
  assert.deepEqual(left(['httpd', '/usr/lib/module.so', 'xvfb']), ['abcd'])
  assert.deepEqual(left(['httpd', '/usr/lib/module.so']), ['acd', 'Left out: A web server, because it needs xvfb.'])
  assert.deepEqual(left([]), ['cd', 'Left out: A web server, because it needs httpd and /usr/lib/module.so and xvfb.'])
})

test('only a line of its own declares a party', () => {
  assert.equal(partyOf("const text = '// Party: none: x'"), undefined)
  assert.deepEqual(partyOf('// One engine: x.\n// Party: one: x y\n'), { name: 'one', needs: ['x', 'y'] })
})

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
