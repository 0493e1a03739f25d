import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { affectedBy, changedFiles } from './changed-files.ts'
import { classifyFile } from './classify-file.ts'
import { importGraph } from './import-graph.ts'

const root = mkdtempSync(join(tmpdir(), 'muster-changed-'))
after(() => rmSync(root, { recursive: true, force: true }))

function write(files: Record<string, string>): void {
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), code)
  }
}

const skip = spawnSync('git', ['--version']).error !== undefined && 'git is not installed'

test('what differs from the branching point counts, committed or not, and what main got since does not', {
  skip,
}, () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.example', ...words], { cwd: root })
  const commit = (message: string) => [git('add', '-A'), git('commit', '-qm', message)]
  git('init', '-qb', 'main')
  write({ 'kept.ts': '', 'edited.ts': '', 'staged.ts': '' })
  commit('Start')
  git('checkout', '-qb', 'topic')
  write({ 'committed.ts': '1' })
  commit('Add')
  git('checkout', '-q', 'main')
  write({ 'later.ts': '1' })
  commit('Continue')
  git('checkout', '-q', 'topic')
  write({ 'edited.ts': '1', 'staged.ts': '1', 'new.ts': '1' })
  git('add', 'staged.ts')
  assert.deepEqual(changedFiles(root, 'main'), ['committed.ts', 'edited.ts', 'new.ts', 'staged.ts'])
})

const tree: Record<string, string> = {
  'server/src/a/rules.ts': '',
  'server/src/a/command.ts': "import './rules.ts'",
  'server/src/a/command.test.ts': "import './command.ts'\nimport '../../test/support/database.ts'",
  'server/src/a/rules.test.ts': "import './rules.ts'",
  'server/src/b/text.test.ts': "readFile('docs/agents.md')",
  'server/src/main.ts': "import './a/command.ts'",
  'server/test/support/database.ts': '',
  'server/test/support/muster-process.ts': "new URL('../../src/main.ts', import.meta.url)",
  'server/src/app.ts': "import './c/lists/routes.ts'",
  'server/src/c/lists/routes.ts': '',
  'server/src/c/lists/routes.test.ts': "import '../../../test/support/app.ts'",
  'server/src/c/counts/count.test.ts': "import '../../../test/support/app.ts'",
  'server/src/c/sums/sum.test.ts': "import '../lists/routes.ts'",
  'server/test/support/app.ts': "import '../../src/app.ts'\nimport './database.ts'",
  'server/test/processes/kills.test.ts': "import { openPlace } from '../support/muster-process.ts'",
}
const graph = importGraph((path) => tree[path] ?? '')
const files = Object.keys(tree).filter((path) => path.endsWith('.test.ts'))
const affected = (...changed: string[]) =>
  affectedBy(
    changed,
    files.map((path) => classifyFile(path, graph)),
    graph,
  ).map(({ path }) => path)

test('a change can break what imports it, and what names it', () => {
  assert.deepEqual(affected('server/src/a/command.ts'), ['server/src/a/command.test.ts'])
  assert.deepEqual(affected('server/src/a/rules.ts'), ['server/src/a/command.test.ts', 'server/src/a/rules.test.ts'])
  assert.deepEqual(affected('docs/agents.md'), ['server/src/b/text.test.ts'])
  assert.deepEqual(affected('docs/other.md'), [])
  assert.deepEqual(affected('server/src/db/migrations/0001_a.sql'), [
    'server/src/a/command.test.ts',
    'server/src/c/lists/routes.test.ts',
    'server/src/c/counts/count.test.ts',
  ])
})

test('what meets the change only in the app is left out, unless it is of the same feature', () => {
  assert.deepEqual(affected('server/src/c/lists/routes.ts'), [
    'server/src/c/lists/routes.test.ts',
    'server/src/c/sums/sum.test.ts',
  ])
  assert.deepEqual(affected('server/test/support/app.ts'), [
    'server/src/c/lists/routes.test.ts',
    'server/src/c/counts/count.test.ts',
  ])
})

test('what starts the whole product runs when its own parts change', () => {
  assert.deepEqual(affected('server/test/support/muster-process.ts'), ['server/test/processes/kills.test.ts'])
  assert.deepEqual(affected('server/test/processes/kills.test.ts'), ['server/test/processes/kills.test.ts'])
})
