import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyFile } from './classify-file.ts'
import { importGraph } from './import-graph.ts'

const support = 'server/test/support'
const tree: Record<string, string> = {
  [`${support}/database.ts`]: 'export const testDatabase = () => {}',
  [`${support}/app.ts`]: "import { testDatabase } from './database.ts'",
  [`${support}/muster-process.ts`]: 'export const openPlace = () => {}',
  [`${support}/soak.ts`]: 'export const extent = () => {}',
  'console/test/browser.ts':
    "import { chromium } from 'playwright-core'\nimport '../../server/test/support/database.ts'",
  'server/src/a/opens.test.ts': "import { testApp } from '../../test/support/app.ts'\ntest('a', () => {})",
  'server/src/a/plain.test.ts': "import { test } from 'node:test'",
  'server/src/a/waits.test.ts': "import { until } from '../../test/support/muster-process.ts'",
  'server/src/a/changes.test.ts': '// Own process: it stubs the clock of the process.\n',
  'server/test/processes/starts.test.ts': "import { openPlace, until } from '../support/muster-process.ts'",
  'server/test/processes/kills.test.ts': "import { openPlace } from '../support/muster-process.ts'\nawait one.kill()",
  'server/test/processes/outlives.test.ts': "import { outlive } from './outlive.ts'",
  'server/test/processes/outlive.ts': "import { openPlace } from '../support/muster-process.ts'\nawait one.kill()",
  'server/src/a/opens.embedded.test.ts': "import { testApp } from '../../test/support/app.ts'\ntest('a', () => {})",
  'server/src/a/property.test.ts': "import { testApp } from '../../test/support/app.ts'\nimport fc from 'fast-check'",
  'server/src/a/history.test.ts':
    "import { testApp } from '../../test/support/app.ts'\nimport { extent } from '../../test/support/soak.ts'",
  'server/src/a/misplaced.test.ts': "testOnEmbedded('a', f)\n",
  'server/src/a/misplaced.embedded.test.ts': "testOnPostgres('a', f)\n",
  'server/test/strangers/nginx.test.ts': '// Party: nginx: nginx\n',
  'console/test/page.test.ts': "import { open } from './browser.ts'",
}
const graph = importGraph((path) => tree[path] ?? '')
const classify = (path: string) => {
  const { kind, needsOwnProcess, isRetried } = classifyFile(path, graph)
  return [kind, needsOwnProcess ? 'own' : 'shared', isRetried ? 'retried' : 'once']
}

test('what a test file imports says where it runs', () => {
  assert.deepEqual(classify('server/src/a/opens.test.ts'), ['database', 'shared', 'retried'])
  assert.deepEqual(classify('server/src/a/plain.test.ts'), ['plain', 'shared', 'once'])
  assert.deepEqual(classify('server/src/a/waits.test.ts'), ['plain', 'shared', 'once'])
  assert.deepEqual(classify('server/src/a/changes.test.ts'), ['plain', 'own', 'once'])
  assert.deepEqual(classify('server/test/processes/starts.test.ts'), ['processes', 'own', 'retried'])
  assert.deepEqual(classify('server/test/strangers/nginx.test.ts'), ['stranger', 'own', 'retried'])
  assert.deepEqual(classify('console/test/page.test.ts'), ['browser', 'shared', 'retried'])
})

test('what is random or kills runs once, since its failure may not come again', () => {
  assert.equal(classify('server/src/a/property.test.ts').at(-1), 'once')
  assert.equal(classify('server/src/a/history.test.ts').at(-1), 'once')
  assert.equal(classify('server/test/processes/kills.test.ts').at(-1), 'once')
  assert.equal(classify('server/test/processes/outlives.test.ts').at(-1), 'once')
})

test('the suffix says that a file is about the embedded engine', () => {
  assert.equal(classifyFile('server/src/a/opens.embedded.test.ts', graph).isEmbedded, true)
  assert.equal(classifyFile('server/src/a/opens.test.ts', graph).isEmbedded, false)
})

test('a test that no run with PostgreSQL would have is refused', () => {
  assert.throws(() => classifyFile('server/src/a/misplaced.test.ts', graph), /Move it to a file named \*\.embedded/)
  assert.throws(() => classifyFile('server/src/a/misplaced.embedded.test.ts', graph), /without the suffix/)
})
