import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from 'kysely'
import { dumpSchema } from '../src/cli/dump-schema.ts'
import { testDatabase } from './support/database.ts'

const database = testDatabase()
const golden = new URL('../src/base/db/schema.sql', import.meta.url)

/** What arrives without an organization is looked up here; and what belongs to the installation as a whole. */
const globalTables = new Set([
  'installation',
  'organizations',
  'api_key_lookups',
  'enrollment_secret_lookups',
  'companion_key_lookups',
  'node_key_lookups',
  'scim_token_lookups',
  'ssf_poll_token_lookups',
  'admin_link_lookups',
  'admin_passkey_lookups',
  'used_passkey_challenges',
  'admin_session_lookups',
  'sign_in_throttles',
  'schema_migrations',
  'worker_heartbeats',
  'write_probes',
  'package_runtimes',
  'package_runtime_pieces',
  'package_parts',
])

async function tables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(database.db)
  return rows.map((row) => row.name)
}

async function viewNames(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.views where table_schema = 'public'`.execute(database.db)
  return rows.map(({ name }) => name)
}

test('the hand-written schema has exactly the tables and columns of the migrated database', async () => {
  const { rows } = await sql<{ table: string; column: string; nullable: boolean }>`
    select table_name as table, column_name as column, is_nullable = 'YES' as nullable
    from information_schema.columns where table_schema = 'public' and table_name <> 'schema_migrations'
    order by table_name, ordinal_position`.execute(database.db)
  const migrated = rows.map(({ table, column, nullable }) => `${table}.${column}${nullable ? ' null' : ''}`)
  const views = await viewNames()
  // What a view computes may be null for all that the database knows.
  const bare = (column: string) => (views.includes(column.split('.')[0] ?? '') ? column.replace(/ null$/, '') : column)
  assert.deepEqual((await writtenColumns()).map(bare).sort(), migrated.map(bare).sort())
})

/** `table.column`, with ` null` where the type admits it, read from the text of schema.ts. */
async function writtenColumns(): Promise<string[]> {
  const text = await readFile(new URL('../src/base/db/schema.ts', import.meta.url), 'utf8')
  const body = text.slice(text.indexOf('export interface Database {'))
  const found: string[] = []
  for (const [, table = '', members = ''] of body.matchAll(/^ {2}(\w+): \{([^}]*)\}$/gm)) {
    const withoutComments = members.replace(/\/\*\*.*?\*\//gs, '')
    for (const [, column = '', type = ''] of withoutComments.matchAll(/(\w+): ((?:[^;\n<]|<[^>]*>+)+)/g)) {
      found.push(`${table}.${column}${/\| null$/.test(type.trim()) ? ' null' : ''}`)
    }
  }
  assert.ok(found.length > 100, 'the test must see the schema that it guards')
  return found
}

async function uniqueIndexes() {
  const { rows } = await sql<{ table: string; index: string; first: string | null }>`
    select class.relname as table, index_class.relname as index, attribute.attname as first
    from pg_index
    join pg_class as class on class.oid = pg_index.indrelid
    join pg_class as index_class on index_class.oid = pg_index.indexrelid
    join pg_namespace on pg_namespace.oid = class.relnamespace and pg_namespace.nspname = 'public'
    left join pg_attribute as attribute on attribute.attrelid = class.oid and attribute.attnum = pg_index.indkey[0]
    where pg_index.indisunique`.execute(database.db)
  return rows
}

const mixesOrganizations = ({ table, first }: { table: string; first: string | null }) =>
  !globalTables.has(table) && first !== 'organization_id'

test('every tenant table has organization_id first in its primary key and in every unique index', async () => {
  const rows = await uniqueIndexes()
  assert.deepEqual(rows.filter(mixesOrganizations), [])
  const tenantTables = (await tables()).filter((table) => !globalTables.has(table))
  const keyed = new Set(rows.map((row) => row.table))
  assert.deepEqual(
    tenantTables.filter((table) => !keyed.has(table)),
    [],
    'every table has a primary key',
  )
})

test('every constraint and index is named by us, so that code can rely on the name', async () => {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    join pg_class on pg_class.oid = conrelid
    join pg_namespace on pg_namespace.oid = pg_class.relnamespace
    where nspname = 'public' and relname <> 'schema_migrations' and contype in ('p', 'u', 'f', 'c') and conname ~ '[0-9]$'`.execute(
    database.db,
  )
  assert.deepEqual(rows, [])
})

async function unindexedForeignKeys() {
  const { rows } = await sql<{ table: string; constraint: string }>`
    select class.relname as table, conname as constraint from pg_constraint
    join pg_class as class on class.oid = conrelid
    join pg_namespace on pg_namespace.oid = class.relnamespace and nspname = 'public'
    where contype = 'f' and confrelid <> 'organizations'::regclass and not exists (
      select from pg_index where indrelid = conrelid
        and (select array_agg(key order by key) from unnest((indkey::int2[])[0:cardinality(conkey) - 1]) as key)
          = (select array_agg(key order by key) from unnest(conkey) as key)
    )`.execute(database.db)
  return rows
}

test('every foreign key has an index that begins with its columns, so that deletes do not scan', async () => {
  assert.deepEqual(await unindexedForeignKeys(), [])
})

/** Each line behind the name of what it stands in: tables have lines in common. */
function placed(text: string): string[] {
  let block = ''
  return text.split('\n').map((line) => {
    block = /^create \w+ (\w+)/.exec(line)?.[1] ?? block
    return `${block}: ${line}`
  })
}

/** The lines in which the file that is reviewed and the migrated database differ. */
async function goldenDifferences(): Promise<{ missing: string[]; added: string[] }> {
  const written = placed(await readFile(golden, 'utf8'))
  const migrated = placed(await dumpSchema(database.db))
  const without = (lines: string[], others: string[]) => {
    const known = new Set(others)
    return lines.filter((line) => !known.has(line))
  }
  return { missing: without(migrated, written), added: without(written, migrated) }
}

test('schema.sql is what the migrations make; `npm run schema` writes it', async () => {
  assert.deepEqual(await goldenDifferences(), { missing: [], added: [] })
  assert.ok((await dumpSchema(database.db)) === (await readFile(golden, 'utf8')), 'the lines are in another order')
})

test('a table that breaks the rules is found', async () => {
  await database.connection.executeScript(`
    create table canary (
      id bigint constraint canary_pkey primary key, organization_id bigint not null, device_id bigint,
      constraint canary_device_fkey foreign key (organization_id, device_id) references devices (organization_id, id)
    )`)
  try {
    assert.deepEqual((await uniqueIndexes()).filter(mixesOrganizations), [
      { table: 'canary', index: 'canary_pkey', first: 'id' },
    ])
    assert.deepEqual(await unindexedForeignKeys(), [{ table: 'canary', constraint: 'canary_device_fkey' }])
    const { missing, added } = await goldenDifferences()
    assert.deepEqual(added, [])
    assert.ok(missing.includes('canary: create table canary ('), missing.join('\n'))
  } finally {
    await database.connection.executeScript('drop table canary')
  }
})

test('a column, a check and an index that no migration made are found, each where it stands', async () => {
  await database.connection.executeScript(`
    alter table person_groups add column serial text,
      add constraint person_groups_serial_check check (serial <> 'none');
    create index person_groups_serial on person_groups (organization_id, serial)`)
  try {
    const { missing, added } = await goldenDifferences()
    assert.deepEqual(added, [])
    assert.deepEqual(
      missing.map((line) => line.replace(/,$/, '')),
      [
        'person_groups:   serial text',
        "person_groups:   constraint person_groups_serial_check CHECK ((serial <> 'none'::text))",
        'person_groups: CREATE INDEX person_groups_serial ON public.person_groups USING btree (organization_id, serial);',
      ],
    )
  } finally {
    await database.connection.executeScript('alter table person_groups drop column serial')
  }
})
