import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { before, test } from 'node:test'
import { linuxTables } from './linux/linux-tables.ts'
import { newAgentFacts } from './protocol/agent-state.ts'
import { type Engine, openEngine } from './sql/open-engine.ts'

/** Where this workspace lies beside the server; an agent installed alone has no checks to try. */
const server = new URL('../../server/src/', import.meta.url)

type Check = { slug: string; platforms: readonly string[]; sql: string; options: object }
type Catalogue = { catalogue: readonly Check[] }
type Renderer = { renderSql: (template: string, definitions: object, values: object) => string }

/** For a query of the real machine, whose size and other work are not known here. */
const unhurriedMs = 120_000

let engine: Engine
before(async () => {
  engine = await openEngine(linuxTables, process.getuid?.())
})

test("every check for Linux in the service's catalogue runs, or says what is not collected", async (t) => {
  if (!existsSync(server)) return t.skip('no server beside this workspace')
  const paths = ['checks/catalogue/catalogue.ts', 'compliance/templates/render-sql.ts']
  const files = paths.map((path) => new URL(path, server))
  const [catalogue, renderer] = (await Promise.all(files.map((file) => import(file.href)))) as [Catalogue, Renderer]
  const facts = newAgentFacts()
  let ran = 0
  for (const check of catalogue.catalogue.filter((each) => each.platforms.includes('linux'))) {
    const answer = engine.run(renderer.renderSql(check.sql, check.options, {}), facts, unhurriedMs)
    if (answer.ok) {
      const known = ['PASS', 'FAIL', 'UNKNOWN', 'INAPPLICABLE']
      assert.ok(answer.rows.length > 0, `${check.slug} answers a row`)
      for (const row of answer.rows) assert.ok(known.includes(row['KOLIDE_CHECK_STATUS'] ?? ''), check.slug)
      ran += 1
    } else assert.match(answer.message, /^not collected: \w+ \(.+\)$/, check.slug)
  }
  assert.ok(ran >= 10, `${ran} checks ran`)
})
