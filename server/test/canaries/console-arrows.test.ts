import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenArrows } from '../architecture/broken-arrows.ts'

const red: readonly [string, string, string][] = [
  ['a folder that the table of the console does not list', 'console/src/helpers/a.ts', "import { a } from 'react'"],
  ['the api of the console importing a component', 'console/src/api/a.ts', "import { a } from '../components/a.tsx'"],
  ['a component importing the shell', 'console/src/components/a.tsx', "import { a } from '../shell/a.tsx'"],
  ['the shell importing a page for a type alone', 'console/src/shell/a.ts', "import type { A } from '../people/a.tsx'"],
  ['a page importing what stands above it', 'console/src/people/a.tsx', "import { a } from '../devices/a.ts'"],
  ['a page below a folder importing what stands above', 'console/src/checks/a/b.ts', "import '../../issues/a.ts'"],
  ['a page loading another against the arrows', 'console/src/keys/a.tsx', "lazy(() => import('../streams/a.tsx'))"],
  ['a page importing an address', 'console/src/gates/a.tsx', "import { a } from '../routes/a.ts'"],
  ['a page loading a computed name', 'console/src/people/a.tsx', 'await import(name)'],
  ['the console importing a test', 'console/src/api/a.ts', "import { a } from './b.test.ts'"],
  ['the console importing test support', 'console/src/api/a.ts', "import { a } from '../../test/browser.ts'"],
]

for (const [name, path, code] of red) {
  test(`the architecture test is red for ${name}`, () => assert.equal(brokenArrows({ path, code }).length, 1))
}

const green: readonly [string, string, string][] = [
  ['an address that loads its page', 'console/src/routes/a.ts', "lazy(() => import('../devices/a.tsx'))"],
  ['a page of devices importing people', 'console/src/devices/a.tsx', "import { a } from '../people/a.ts'"],
  ['a page importing its own folder', 'console/src/checks/a/b.ts', "import '../c.css'\nimport { a } from './d.ts'"],
  ['a test of the console importing what it likes', 'console/src/api/a.test.ts', "import { a } from '../shell/a.ts'"],
]

for (const [name, path, code] of green) {
  test(`the architecture test is green for ${name}`, () => assert.deepEqual(brokenArrows({ path, code }), []))
}
