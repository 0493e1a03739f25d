import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { matchesSearch } from '../../../test/support/search-oracle.ts'
import {
  sampleThings,
  type Thing,
  thingExpression,
  thingSearch,
  writeSearch,
} from '../../../test/support/searched-things.ts'
import { extent } from '../../../test/support/soak.ts'
import { transact } from '../db/transact.ts'
import { parseSearch } from './parse-search.ts'
import type { SearchExpression } from './search-expression.ts'
import { type SearchColumns, whereSearch } from './where-search.ts'

type Tables = { things: Record<string, unknown> }

const columns: SearchColumns<typeof thingSearch> = {
  id: { column: 'things.id', type: 'bigint' },
  owner_id: { column: 'things.owner_id', type: 'bigint' },
  name: { column: 'things.name', type: 'text' },
  note: { column: sql`things.note`, type: 'text' },
  email: { column: 'things.email', type: 'text' },
  hardware_uuid: { column: 'things.hardware_uuid', type: 'uuid' },
  seen_at: { column: 'things.seen_at', type: 'timestamptz' },
  exempted: { column: 'things.exempted', type: 'boolean' },
  state: { column: 'things.state', type: 'text', storedValue: stored },
  tables_used: { column: 'things.tables_used', type: 'text[]' },
  tags: { column: sql`array(select tag from unnest(things.tags) as tag)`, type: 'text[]' },
}

function stored(state: string) {
  return state.toLowerCase().replace(' ', '_')
}

const database = testDatabase()
const things = sampleThings(200, 1)

let filled: Promise<void> | undefined

/** The database with the things in it. */
async function filledDatabase() {
  filled ??= fill()
  await filled
  return database.db.withTables<Tables>()
}

async function fill() {
  await database.connection.executeScript(`
    create table things (
      id bigint primary key, owner_id bigint, name text not null, note text, email text, hardware_uuid uuid,
      seen_at timestamptz(3), exempted boolean, state text not null, tables_used text[], tags text[] not null
    );
    create index things_name_trgm on things using gin (folded(name) gin_trgm_ops);
    create index things_owner_trgm on things using gin ((owner_id::text) gin_trgm_ops);
    create index things_tables_used on things using gin (tables_used);
    create index things_email on things (folded(email))`)
  const rows = things.map((thing) => ({ ...thing, state: stored(String(thing.state)) }))
  await database.db.withTables<Tables>().insertInto('things').values(rows).execute()
}

/** One statement answers for many searches: the identifiers each of them matches. */
async function matchedBySql(expressions: SearchExpression[]): Promise<string[]> {
  const answers = expressions.map((expression, index) =>
    sql`coalesce(string_agg(id::text, ' ' order by id) filter (where ${whereSearch(expression, columns)}), '')`.as(
      `q${index}`,
    ),
  )
  const db = await filledDatabase()
  const row = await db.selectFrom('things').select(answers).executeTakeFirstOrThrow()
  return expressions.map((_, index) => String(row[`q${index}`]))
}

function matchedByOracle(expression: SearchExpression): string {
  const matched = things.filter((thing: Thing) => matchesSearch(expression, thing))
  return matched.map((thing) => String(thing.id)).join(' ')
}

test('searches match the same records in SQL as by their meaning', async (t) => {
  const seed = Number(process.env['MUSTER_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`MUSTER_TEST_SEED=${seed} repeats this run`)
  const expressions = fc.sample(thingExpression, { numRuns: extent(2_000, 10_000), seed })
  let matches = 0
  for (let from = 0; from < expressions.length; from += 250) {
    const batch = expressions.slice(from, from + 250)
    const actual = await matchedBySql(batch)
    for (const [index, expression] of batch.entries()) {
      const expected = matchedByOracle(expression)
      assert.equal(actual[index], expected, writeSearch(expression, true))
      if (expected !== '') matches += 1
    }
  }
  t.diagnostic(`${matches} of them match some record`)
  assert.ok(matches > 0.3 * expressions.length, 'the searches must be likely to match')
})

test('indexes serve substrings, exact e-mail addresses and identifiers', async () => {
  await filledDatabase()
  await transact(database.db, async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    const planOf = async (text: string) => {
      const expression = parseSearch(text, thingSearch)
      assert.ok(expression)
      const query = sql<Record<string, string>>`explain select id from things where ${whereSearch(expression, columns)}`
      const { rows } = await query.execute(tx)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    assert.match(await planOf('name~macbook'), /things_name_trgm/)
    assert.match(await planOf('name~macbook AND state:good'), /things_name_trgm/)
    assert.match(await planOf('name:MacBook'), /things_name_trgm/)
    assert.match(await planOf('name:Zoë'), /things_name_trgm/)
    assert.match(await planOf('owner_id~1234'), /things_owner_trgm/)
    assert.match(await planOf('email:Ann@Example.com'), /things_email/)
    assert.match(await planOf('email:["Ann@Example.com","b"]'), /things_email/)
    assert.match(await planOf('tables_used:["users","groups"]'), /things_tables_used/)
    assert.match(await planOf('id:[1,2]'), /things_pkey/)
  })
})

test('values never become SQL text', () => {
  const expression = parseSearch(`name~"'; drop table things; --" AND note:["a'b"] OR state:"will block"`, thingSearch)
  assert.ok(expression)
  const node = whereSearch(expression, columns).toOperationNode()
  const fragmentsOf = (one: object): string =>
    JSON.stringify(one, (key, value) => (key === 'value' ? undefined : value))
  assert.doesNotMatch(fragmentsOf(node), /drop table|a'b|will/i)
})

test('a search field without a column is a fault of ours, not of the caller', () => {
  assert.throws(() => whereSearch([[{ field: 'nope', operator: ':', value: 'a' }]], columns), /No column is mapped/)
})
