import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from './support/database.ts'
import { inFolder, typeErrors } from './support/type-errors.ts'

const database = testDatabase()

type Column = { table: string; column: string; type: string; isNull: boolean; values: readonly string[] | undefined }

/** What the columns of tables hold, by type, and by value where a check of the column lists them. */
async function listColumns(): Promise<readonly Column[]> {
  const { rows } = await sql<Omit<Column, 'values'> & { checks: readonly string[] }>`
    select class.relname as table, attribute.attname as column, format_type(attribute.atttypid, null) as type,
      not attribute.attnotnull as "isNull",
      array(
        select pg_get_constraintdef(pg_constraint.oid) from pg_constraint
        where conrelid = class.oid and contype = 'c' and conkey = array[attribute.attnum]
      ) as checks
    from pg_class as class
    join pg_namespace on pg_namespace.oid = class.relnamespace and pg_namespace.nspname = 'public'
    join pg_attribute as attribute on attribute.attrelid = class.oid and attnum > 0 and not attisdropped
    where class.relkind in ('r', 'p') and class.relname <> 'schema_migrations'
    order by 1, attribute.attnum`.execute(database.db)
  return rows.map(({ checks, ...column }) => ({ ...column, values: checks.flatMap(valuesOf).at(0) }))
}

/** The values that a check lists, each of which a column or each element of it may have. */
function valuesOf(check: string): string[][] {
  const [, list] = /^CHECK \(\(\w+ (?:= ANY|<@) \(?ARRAY\[(.*?)\](?:\)|::)/.exec(check) ?? []
  if (list !== undefined) return [[...list.matchAll(/'([^']*)'/g)].map(([, value = '']) => value)]
  const [, set] = /^CHECK \(\(\w+ <@ '\{(.*?)\}'/.exec(check) ?? []
  return set === undefined ? [] : [set.split(',').map((value) => value.replaceAll('"', ''))]
}

const types: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  real: 'number',
  'double precision': 'number',
  bytea: 'Buffer',
}
const textual = [
  'text',
  'bigint',
  'numeric',
  'timestamp with time zone',
  'uuid',
  'character varying',
  'inet',
  'date',
  'xid8',
]

/** In TypeScript; undefined of JSON, whose form the database does not know. */
function typeOf({ type, isNull, values }: Column): string | undefined {
  const element = type.replace(/\[\]$/, '')
  if (/^jsonb?$/.test(element)) return undefined
  const known = types[element] ?? (textual.includes(element) ? 'string' : assert.fail(`no type for ${type}`))
  const one = values?.map((value) => `'${value}'`).join(' | ') ?? known
  return `${element === type ? one : `(${one})[]`}${isNull ? ' | null' : ''}`
}

/** The columns that schema.ts has another type for. */
function driftOf(columns: readonly Column[]): Promise<readonly string[]> {
  const lines = columns.flatMap((one, index) => {
    const [name, type] = [`${one.table}.${one.column}`, typeOf(one)]
    return type ? [`export const c${index}: Same<'${name}', Row<'${one.table}'>['${one.column}'], ${type}> = true`] : []
  })
  return inFolder(async (folder) => {
    const text = [
      "import type { Selectable } from 'kysely'",
      "import type { Database } from '../../server/src/base/db/schema.ts'",
      // Whether an array may be changed is for the code to say.
      'type Plain<Value> = Value extends readonly (infer One)[] ? One[] : Value',
      'type Row<Table extends keyof Database> = { [C in keyof Selectable<Database[Table]>]: Plain<Selectable<Database[Table]>[C]> }',
      'type Same<Name, Written, Stored> = [Written] extends [Stored] ? [Stored] extends [Written] ? true : Name : Name',
      ...lines,
    ]
    await writeFile(join(folder, 'stored.ts'), text.join('\n'))
    const errors = await typeErrors(folder, ['stored.ts'])
    return errors.map(({ text: said }) => /is not assignable to type '"([\w.]+)"'/.exec(said)?.[1] ?? said)
  })
}

/** Columns of text whose values the code alone knows: they grow with releases, and rows of before keep what they have. */
const knownToCode = [
  'auth_log_open_sessions.reason',
  'auth_logs.failure_reason',
  'check_results.status_before_upgrade',
  'signin_refusals.reason',
  'signin_sessions.state',
  'signin_sessions.detection_failure',
]

test('the hand-written schema has the types and values of the migrated database', async () => {
  const columns = await listColumns()
  assert.ok(columns.filter(({ values }) => values).length > 50, 'the lists of values are found')
  assert.deepEqual(await driftOf(columns), knownToCode)
})

test('a value that the schema lacks is found, and a type that is another one', async () => {
  const changed = (await listColumns()).map((one): Column => {
    const name = `${one.table}.${one.column}`
    if (name === 'devices.auth_state') return { ...one, values: [...(one.values ?? []), 'lost'] }
    if (name === 'live_query_campaigns.targeted_platforms') return { ...one, values: ['all'] }
    if (name === 'auth_logs.result') return { ...one, isNull: !one.isNull }
    return name === 'auth_log_events.position' ? { ...one, type: 'bigint' } : one
  })
  const found = (await driftOf(changed)).filter((name) => !knownToCode.includes(name))
  assert.deepEqual(found, [
    'auth_log_events.position',
    'auth_logs.result',
    'devices.auth_state',
    'live_query_campaigns.targeted_platforms',
  ])
})
