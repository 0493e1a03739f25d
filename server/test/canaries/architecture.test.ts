import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenArrows } from '../architecture/broken-arrows.ts'
import { brokenOwnership, tablesWritten } from '../architecture/broken-ownership.ts'
import { unreadIds } from '../architecture/unread-ids.ts'

const breaks = (path: string, code: string) => brokenArrows({ path, code }).length > 0
const owners = {
  devices: 'inventory/devices',
  issues: 'compliance/issues',
  checks: 'checks',
  'pgboss.job': 'base/jobs',
}

const red: readonly [string, string, string][] = [
  [
    'a lower feature importing a higher one',
    'server/src/inventory/devices/lock-device.ts',
    "import { a } from '../../compliance/results/a.ts'",
  ],
  [
    'http importing a room that admits callers',
    'server/src/http/kit.ts',
    "import type { A } from '../access/sessions/a.ts'",
  ],
  ['http importing what stands right above it', 'server/src/http/kit.ts', "import { a } from '../signals/audit/a.ts'"],
  [
    'a command of sessions importing http',
    'server/src/access/sessions/sign-in.ts',
    "import { a } from '../../http/a.ts'",
  ],
  ['the base importing a feature', 'server/src/base/db/connect.ts', "import { a } from '../../inventory/devices/a.ts'"],
  [
    'an arrow spread over lines',
    'server/src/signals/events/a.ts',
    "import {\n  a,\n  b,\n} from '../../compliance/issues/a.ts'",
  ],
  [
    'an arrow for a type alone',
    'server/src/signals/events/a.ts',
    "import type { A } from '../../compliance/issues/a.ts'",
  ],
  ['a re-export against the arrows', 'server/src/signals/events/a.ts', "export * from '../../compliance/issues/a.ts'"],
  [
    'a side-effect import against the arrows',
    'server/src/signals/events/a.ts',
    "import '../../compliance/issues/a.ts'",
  ],
  [
    'a dynamic import against the arrows',
    'server/src/signals/events/a.ts',
    "const a = await import('../../compliance/issues/a.ts')",
  ],
  [
    'a worker thread against the arrows',
    'server/src/base/db/a.ts',
    "new URL('../../compliance/issues/worker.ts', import.meta.url)",
  ],
  ['an import whose name is computed', 'server/src/signals/events/a.ts', 'await import(name)'],
  ['a command importing http', 'server/src/inventory/devices/remove-device.ts', "import { a } from '../../http/a.ts'"],
  ['a command importing routes', 'server/src/inventory/devices/remove-device.ts', "import { a } from './routes.ts'"],
  [
    'routes importing routes of another feature',
    'server/src/checks/definitions/routes.ts',
    "import { a } from '../../inventory/devices/routes.ts'",
  ],
  ['app.ts importing a command', 'server/src/app.ts', "import { a } from './inventory/devices/remove-device.ts'"],
  ['app.ts importing jobs', 'server/src/app.ts', "import { a } from './inventory/devices/jobs.ts'"],
  ['rules importing a query', 'server/src/inventory/devices/rules.ts', "import { a } from './queries.ts'"],
  ['rules importing a module of node', 'server/src/inventory/devices/rules.ts', "import fs from 'node:fs'"],
  [
    'rules importing the database',
    'server/src/inventory/devices/rules.ts',
    "import type { Tx } from '../../base/db/transact.ts'",
  ],
  [
    'queries importing jobs',
    'server/src/inventory/devices/queries.ts',
    "import { a } from '../../base/jobs/queue-job.ts'",
  ],
  [
    'present importing a command of another feature',
    'server/src/compliance/issues/present.ts',
    "import { a } from '../../inventory/devices/a.ts'",
  ],
  [
    'present importing the http kit',
    'server/src/compliance/issues/present.ts',
    "import { a } from '../../http/errors.ts'",
  ],
  [
    'Fastify in a command',
    'server/src/inventory/devices/remove-device.ts',
    "import type { FastifyInstance } from 'fastify'",
  ],
  ['a driver outside db', 'server/src/base/lists/keyset.ts', "import pg from 'pg'"],
  ['a driver by its subpath', 'server/src/base/lists/keyset.ts', "import { a } from '@electric-sql/pglite/worker'"],
  ['pg-boss outside jobs', 'server/src/checks/definitions/jobs.ts', "import { PgBoss } from 'pg-boss'"],
  ['undici outside outbound', 'server/src/signals/events/announce.ts', "import { request } from 'undici'"],
  [
    'the agent outside the command line',
    'server/src/agents/protocol/routes.ts',
    "import { a } from '@muster/agent/a.ts'",
  ],
  [
    'contract importing the server',
    'contract/src/devices.ts',
    "import { a } from '../../server/src/base/db/schema.ts'",
  ],
  ['the agent importing more of contract', 'agent/src/main.ts', "import { a } from '@muster/contract/a.ts'"],
  ['console importing the server', 'console/src/main.tsx', "import { a } from '../../server/src/app.ts'"],
  ['console importing what the agent runs', 'console/src/main.tsx', "import { a } from '@muster/agent/run-agent.ts'"],
  [
    'the product importing test support',
    'server/src/base/db/connect.ts',
    "import { a } from '../../../test/support/database.ts'",
  ],
  ['the product importing a test', 'server/src/base/db/connect.ts', "import { a } from './connect.test.ts'"],
  ['a folder that the table does not list', 'server/src/helpers/a.ts', "import path from 'node:path'"],
  ['process.env outside config', 'server/src/http/a.ts', "const level = process.env['LOG_LEVEL']"],
  ['process.env taken apart', 'server/src/http/a.ts', 'const { env } = process'],
  ['fetch outside outbound', 'server/src/signals/events/announce.ts', 'await fetch(url)'],
  ['Date.now in a command', 'server/src/inventory/devices/remove-device.ts', 'const now = Date.now()'],
  ['new Date() in a command', 'server/src/inventory/devices/remove-device.ts', 'const now = new Date()'],
]

for (const [name, path, code] of red) {
  test(`the architecture test is red for ${name}`, () => assert.ok(breaks(path, code)))
}

const green: readonly [string, string, string][] = [
  [
    'a higher feature calling a lower one',
    'server/src/compliance/results/record-results.ts',
    "import { a } from '../issues/a.ts'",
  ],
  [
    'routes using the shared http kit',
    'server/src/inventory/devices/routes.ts',
    "import { a } from '../../http/a.ts'\nimport 'fastify'",
  ],
  [
    'a scheme using the shared http kit',
    'server/src/access/sessions/session-scheme.ts',
    "import type { A } from '../../http/a.ts'\nimport 'fastify'",
  ],
  [
    'present making links',
    'server/src/compliance/issues/present.ts',
    "import type { Links } from '../../base/links.ts'",
  ],
  ['app.ts composing routes', 'server/src/app.ts', "import { a } from './inventory/devices/routes.ts'"],
  [
    'the simulator reading the tables of osquery',
    'agent/src/simulate/a.ts',
    "import { a } from '@muster/contract/osquery-schema.ts'",
  ],
  ['the command line running the agent', 'server/src/cli/agent.ts', "import { a } from '@muster/agent/a.ts'"],
  [
    'rules reading contract',
    'server/src/inventory/devices/rules.ts',
    "import type { A } from '@muster/contract/devices.ts'",
  ],
  [
    'a test importing what it likes',
    'server/src/base/db/a.test.ts',
    "import { a } from '../../compliance/results/a.ts'\nimport pg from 'pg'",
  ],
  ['a time made from a given one', 'server/src/inventory/devices/rules.ts', 'const at = new Date(now)'],
  [
    'words in a comment',
    'server/src/inventory/devices/rules.ts',
    "// never process.env, never Date.now(); import('x')\n",
  ],
]

for (const [name, path, code] of green) {
  test(`the architecture test is green for ${name}`, () => assert.deepEqual(brokenArrows({ path, code }), []))
}

const writes: readonly [string, string, string[]][] = [
  ['insertInto', "db.insertInto('devices').values(row)", ['devices']],
  ['updateTable with an alias', "db.updateTable('devices as d').set(row)", ['devices']],
  ['deleteFrom over lines', "db\n  .deleteFrom(\n  'devices')", ['devices']],
  ['insert in SQL text', 'sql`insert into devices (id) values (1)`', ['devices']],
  ['update with an alias in SQL text', 'sql`update devices as d set name = 1`', ['devices']],
  ['delete in SQL text', 'sql`\n  delete from devices\n  using people`', ['devices']],
  ['a table of another schema', 'sql`insert into pgboss.job (id) values (1)`', ['pgboss.job']],
  ['a lock and an upsert, which name no other table', 'sql`… for update skip locked … do update set a = 1`', []],
]

for (const [name, code, tables] of writes) {
  test(`the table guard reads ${name}`, () => {
    assert.deepEqual(tablesWritten({ path: 'server/src/inventory/devices/a.ts', code }), tables)
  })
}

test('the table guard is red for a second writer, an unknown table and a computed name', () => {
  const broken = (path: string, code: string) => brokenOwnership({ path, code }, owners)
  assert.deepEqual(broken('server/src/inventory/devices/a.ts', "db.insertInto('devices')"), [])
  assert.deepEqual(broken('server/src/checks/drafts/a.ts', "db.insertInto('checks')"), [])
  assert.deepEqual(broken('server/src/compliance/results/a.ts', "db.insertInto('issues')"), [
    'server/src/compliance/results/a.ts writes issues, which compliance/issues owns',
  ])
  assert.deepEqual(broken('server/src/compliance/results/a.ts', 'sql`update whims set a = 1`'), [
    'server/src/compliance/results/a.ts writes whims, which has no owner in table-owners.ts',
  ])
  assert.deepEqual(broken('server/src/compliance/results/a.ts', 'db.insertInto(table)'), [
    'server/src/compliance/results/a.ts writes a table whose name is computed',
  ])
})

test('the guard of identifiers in addresses is red for a route that is added by hand and reads them itself', () => {
  const broken = (code: string) => unreadIds({ path: 'server/src/signals/a-routes.ts', code }).length
  assert.equal(broken("app.get('/a/:id', handler)"), 1)
  assert.equal(broken("app.get(place + '/:organizationId/keys', handler)"), 1)
  assert.equal(broken("const url = '/a/:id'\nconst read = readParams(url, {})"), 0)
  assert.equal(broken("app.get('/a/:name', handler) // not /:id"), 0)
})
