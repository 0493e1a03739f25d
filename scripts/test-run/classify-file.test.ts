import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyFile } from './classify-file.ts'
import { importGraph } from './import-graph.ts'

const support = 'server/test/support'
const tree: Record<string, string> = {
  [`${support}/database.ts`]: 'export const testDatabase = () => {}',
  [`${support}/app.ts`]: "import { testDatabase } from './database.ts'",
  [`${support}/muster-process.ts`]: 'export const openPlace = () => {}',
  [`${support}/through-prism.ts`]: "import { createServer } from '@stoplight/prism-http-server'",
  'console/test/browser.ts':
    "import { chromium } from 'playwright-core'\nimport '../../server/test/support/database.ts'",
  'server/src/a/opens.test.ts': "import { testApp } from '../../test/support/app.ts'\ntest('a', () => {})",
  'server/src/a/plain.test.ts': "import { test } from 'node:test'",
  'server/src/a/waits.test.ts': "import { until } from '../../test/support/muster-process.ts'",
  'server/src/a/changes.test.ts': '// Own process: it stubs the clock of the process.\n',
  'server/test/processes/starts.test.ts': "import { openPlace, until } from '../support/muster-process.ts'",
  'server/src/a/locks.test.ts':
    "import { testOnPostgres } from '../../test/support/database.ts'\ntestOnPostgres('a', f)\n",
  'server/src/a/embedded.test.ts':
    "import { testOnEmbedded } from '../../test/support/database.ts'\ntestOnEmbedded('a', f)\n",
  'server/src/a/mixed.test.ts':
    "import { testOnPostgres } from '../../test/support/database.ts'\ntestOnPostgres('a', f)\ntest('b', f)\n",
  'server/src/a/network.test.ts':
    "// One engine: it is about the network.\nimport { testApp } from '../../test/support/app.ts'\ntest('a', f)\n",
  'server/src/a/client.test.ts':
    "import { testApp } from '../../test/support/app.ts'\nimport '../../test/support/through-prism.ts'\nimport 'openapi-fetch'",
  'console/test/page.test.ts': "import { open } from './browser.ts'",
}
const graph = importGraph((path) => tree[path] ?? '')
const classify = (path: string) => {
  const { kind, engines, needsOwnProcess } = classifyFile(path, graph)
  return [kind, engines.join(), needsOwnProcess ? 'own' : 'shared']
}

test('what a test file imports says how often and where it runs', () => {
  const both = 'pglite,postgres'
  assert.deepEqual(classify('server/src/a/opens.test.ts'), ['database', both, 'shared'])
  assert.deepEqual(classify('server/src/a/plain.test.ts'), ['plain', 'pglite', 'shared'])
  assert.deepEqual(classify('server/src/a/waits.test.ts'), ['plain', 'pglite', 'shared'])
  assert.deepEqual(classify('server/src/a/changes.test.ts'), ['plain', 'pglite', 'own'])
  assert.deepEqual(classify('server/test/processes/starts.test.ts'), ['processes', 'pglite', 'own'])
  assert.deepEqual(classify('console/test/page.test.ts'), ['browser', 'pglite', 'own'])
})

test('a file that is skipped as a whole on one engine runs on the other alone', () => {
  assert.deepEqual(classify('server/src/a/locks.test.ts'), ['database', 'postgres', 'shared'])
  assert.deepEqual(classify('server/src/a/embedded.test.ts'), ['database', 'pglite', 'shared'])
  assert.deepEqual(classify('server/src/a/mixed.test.ts'), ['database', 'pglite,postgres', 'shared'])
})

test('a file whose subject is not the data says so, and runs on the engine that costs less', () => {
  assert.deepEqual(classify('server/src/a/network.test.ts'), ['database', 'postgres', 'shared'])
})

test('a client sees the same over HTTP on either engine', () => {
  assert.deepEqual(classify('server/src/a/client.test.ts'), ['database', 'pglite', 'shared'])
})
