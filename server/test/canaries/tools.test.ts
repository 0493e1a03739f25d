import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
before(async () => {
  bench = await openWorkbench()
})
after(() => bench.remove())

const clean = {
  'server/src/main.ts': "import { double } from './double.ts'\n\nconsole.log(double(2))\n",
  'server/src/double.ts': 'export const double = (value: number): number => value * 2\n',
  'server/src/double.test.ts': "import { test } from 'node:test'\n\ntest('a title', async () => {})\n",
  'server/src/planted.ts': '',
  'server/bin/muster.js': "import '../src/main.ts'\n",
}
beforeEach(() => bench.write(clean))

const plant = (code: string) => bench.write({ 'server/src/planted.ts': code })

test('Biome, oxlint and tsc are green before anything is planted', () => {
  assert.equal(bench.run('biome', 'check', 'server').output.includes('Found'), false)
  assert.equal(bench.run('oxlint', '--type-aware', 'server').code, 0)
  assert.equal(bench.run('tsc', '-p', '.').code, 0)
})

test('Biome is red for an import cycle', async () => {
  await bench.write({
    'server/src/planted.ts': "import { other } from './double.ts'\n\nexport const one = () => other()\n",
    'server/src/double.ts': "import { one } from './planted.ts'\n\nexport const other = (): unknown => one()\n",
  })
  const { code, output } = bench.run('biome', 'check', 'server')
  assert.notEqual(code, 0)
  assert.match(output, /noImportCycles/)
})

const biome: readonly [string, string, RegExp][] = [
  ['a default export', 'export default 1\n', /noDefaultExport/],
  ['an import without its extension', "import { double } from './double'\n\ndouble(1)\n", /useImportExtensions/],
  ['any', 'export const planted = (value: any) => value\n', /noExplicitAny/],
  ['a non-null assertion', 'export const planted = (value?: string) => value!\n', /noNonNullAssertion/],
  ['text that is not formatted', 'export const planted = "double quotes";\n', /format/],
]
for (const [name, code, rule] of biome) {
  test(`Biome is red for ${name}`, async () => {
    await plant(code)
    const result = bench.run('biome', 'check', 'server/src/planted.ts')
    assert.notEqual(result.code, 0)
    assert.match(result.output, rule)
  })
}

const promises: readonly [string, string, RegExp][] = [
  ['a floating promise', 'const work = async () => 1\nwork()\n', /no-floating-promises/],
  [
    'a promise as a condition',
    'const work = async () => 1\nif (work()) work().then(console.log, console.log)\n',
    /no-misused/,
  ],
  [
    'a query builder that is executed and not awaited',
    "import type { Kysely } from 'kysely'\n\nexport function planted(db: Kysely<{ things: { id: number } }>) {\n  db.deleteFrom('things').execute()\n}\n",
    /no-floating-promises/,
  ],
  [
    'a switch that forgets a case',
    "export function planted(word: 'a' | 'b') {\n  switch (word) {\n    case 'a':\n      return 1\n  }\n  return 2\n}\n",
    /switch-exhaustiveness-check/,
  ],
]
for (const [name, code, rule] of promises) {
  test(`oxlint is red for ${name}`, async () => {
    await plant(code)
    const result = bench.run('oxlint', '--type-aware', 'server')
    assert.notEqual(result.code, 0)
    assert.match(result.output, rule)
  })
}

const types: readonly [string, string, RegExp][] = [
  ['syntax that cannot be erased', 'export enum Planted {\n  One,\n}\n', /TS1294/],
  ['a parameter property', 'export class Planted {\n  constructor(readonly value: string) {}\n}\n', /TS1294/],
  ['an index access taken for certain', 'export const planted = (list: string[]): string => list[0]\n', /TS2322/],
]
for (const [name, code, rule] of types) {
  test(`tsc is red for ${name}`, async () => {
    await plant(code)
    const result = bench.run('tsc', '-p', '.')
    assert.notEqual(result.code, 0)
    assert.match(result.output, rule)
  })
}

const productionRun = ['--production', '--config', 'knip.production.json', '--include', 'files,exports']

test('knip is red for a dead export, a dead file and an unlisted package', async () => {
  await bench.write({
    'server/src/double.ts':
      "import 'undeclared'\n\nexport const double = (value: number): number => value * 2\nexport const dead = 1\n",
    'server/src/planted.ts': 'export const alone = 1\n',
  })
  const { code, output } = bench.run('knip', '--no-config-hints')
  assert.notEqual(code, 0)
  assert.match(output, /Unused files[\s\S]*server\/src\/planted\.ts/)
  assert.match(output, /Unused exports[\s\S]*dead\s.*server\/src\/double\.ts/)
  assert.match(output, /Unlisted dependencies[\s\S]*undeclared/)
  assert.doesNotMatch(output, /server\/src\/main\.ts/)
})

test('knip is red for code that only a test uses', async () => {
  await bench.write({
    'server/src/planted.ts': 'export const alone = 1\n',
    'server/src/double.ts': 'export const double = (value: number): number => value * 2\nexport const spare = 1\n',
    'server/src/planted.test.ts':
      "import { spare } from './double.ts'\nimport { alone } from './planted.ts'\n\nspare + alone\n",
  })
  const usual = bench.run('knip', '--no-config-hints')
  assert.doesNotMatch(usual.output, /planted|spare/)
  const { code, output } = bench.run('knip', ...productionRun)
  assert.notEqual(code, 0)
  assert.match(output, /Unused files[\s\S]*server\/src\/planted\.ts/)
  assert.match(output, /Unused exports[\s\S]*spare\s.*server\/src\/double\.ts/)
  assert.doesNotMatch(output, /server\/src\/main\.ts|planted\.test\.ts/)
})
