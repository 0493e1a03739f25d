import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { testOnEmbedded } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { tableNames } from '../queries/table-names.ts'
import { endEmbeddedCopy, hasEmbeddedCopy } from './embedded-copy.ts'
import { inIsolation } from './in-isolation.ts'
import { runInSandbox } from './run-in-sandbox.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function run(text: string, organizationId = app.tenant.organizationId): Promise<unknown[]> {
  const query = { organizationId, sql: text, tables: tableNames }
  const report = await runInSandbox(app.database.connection, query)
  return (report?.rows ?? []).map(({ content }) => JSON.parse(content))
}

testOnEmbedded(
  'the copy holds the organization alone, is loaded again for each query, and ends when idle',
  async (t) => {
    const { connection } = app.database
    const { organizationId } = app.tenant
    const other = await app.addTenant('Other')
    await make.person(organizationId, { name: 'Ours' })
    await make.person(other.organizationId, { name: 'Theirs' })
    await endEmbeddedCopy(connection)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const names = 'select person_name from person_people order by person_name'
    assert.deepEqual(await run(names), [{ person_name: 'Ours' }])
    const mentions = { tables: [], mentions: () => false }
    await inIsolation(connection, { organizationId, queryId: '7', mentions }, async (db) => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from people where name = 'Theirs'`.execute(db)
      const { rows: keys } = await sql`select id from api_keys`.execute(db)
      assert.deepEqual([rows, keys], [[{ n: 0 }], []])
    })
    await make.person(organizationId, { name: 'New' })
    assert.deepEqual(await run(names), [{ person_name: 'New' }, { person_name: 'Ours' }])
    assert.deepEqual(await run(names, other.organizationId), [{ person_name: 'Theirs' }])
    t.mock.timers.tick(59_000)
    assert.equal(hasEmbeddedCopy(connection), true)
    t.mock.timers.tick(1_000)
    assert.equal(hasEmbeddedCopy(connection), false)
  },
)

testOnEmbedded('what a sort by one value holds is counted, as the engine does not', async () => {
  const sorted = (rows: number) => `select count(*) as n from (select lpad(a::text || b, 900, 'x') as w
    from generate_series(1, 1000) as a, generate_series(1, ${rows}) as b order by 1 offset 1) q`
  assert.deepEqual(await run(sorted(10)), [{ n: 9999 }])
  await assert.rejects(run(sorted(500)), {
    message: /^The query could sort 2 GB by one value, and a query may use 128 MB/,
  })
  await assert.rejects(run(sorted(500).replace('order by 1', 'order by 1, length(a::text)')), {
    message: /more room than it may have/,
  })
})
