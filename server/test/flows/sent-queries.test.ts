import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHardware } from '@muster/agent/companion/read-hardware.ts'
import { type OsqueryPlatform, osqueryColumns, osquerySchema } from '@muster/contract/osquery-schema.ts'
import { linkSqlOf } from '../../src/agents/companion-keys/link-file-rules.ts'
import { inspectOsquerySql } from '../../src/base/osquery-sql/inspect-osquery-sql.ts'
import { catalogue } from '../../src/checks/catalogue/catalogue.ts'
import { demoCheckDraft } from '../../src/cli/demo/demo-check.ts'
import type { OptionDefinition, OptionField } from '../../src/compliance/templates/option-kinds.ts'
import type { OptionValues } from '../../src/compliance/templates/options.ts'
import { renderSql } from '../../src/compliance/templates/render-sql.ts'
import { inventoryQueries } from '../../src/reporting/catalogue/catalogue.ts'
import { openOsquery } from '../support/prepare-osquery.ts'

const platforms = ['darwin', 'linux', 'windows'] as const satisfies OsqueryPlatform[]
const deviceTypes = { darwin: 'Mac', linux: 'Linux', windows: 'Windows' } as const

/** Deprecated columns that are still read, and why. */
const deprecatedAndRead = new Map([
  ['certificates.issuer', 'its successor issuer2 is empty on Windows with agents from before June 2026'],
])

/** Values of an option other than its default: the least and the most that its definition takes. */
function otherValues(definition: OptionDefinition): unknown[] {
  switch (definition.kind) {
    case 'integer':
    case 'text':
    case 'version':
      return scalars(definition)
    case 'text_list':
      return listsOf(definition, scalars({ ...definition, kind: 'text' }))
    case 'integer_list':
      return listsOf(definition, scalars({ ...definition, kind: 'integer' }))
    case 'record_list':
      return listsOf(
        definition,
        [0, 1].map((at) =>
          Object.fromEntries(Object.entries(definition.fields).map(([name, field]) => [name, scalars(field)[at] ?? 0])),
        ),
      )
  }
}

function scalars(field: Omit<OptionField, 'title'> & { min?: number; max?: number; maxLength?: number }): unknown[] {
  if (field.kind === 'version') return ['0', '999.0.1']
  if (field.kind === 'integer') return [field.min, field.max]
  return ["'", "it's % -- \\".padEnd(field.maxLength ?? 0, '"').slice(0, field.maxLength)]
}

const listsOf = ({ minItems, maxItems }: { minItems: number; maxItems: number }, items: unknown[]): unknown[] => [
  items.slice(0, 1).flatMap((item) => Array.from({ length: minItems }, () => item)),
  Array.from({ length: Math.min(maxItems, 100) }, (_, at) => items[at % items.length]),
]

/** The default options, then every option with its least and with its most. */
function optionsOf(definitions: Readonly<Record<string, OptionDefinition>>): OptionValues[] {
  const others = [0, 1].map((at) =>
    Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, otherValues(definition)[at]])),
  )
  return Object.keys(definitions).length === 0 ? [{}] : [{}, ...(others as OptionValues[])]
}

/** `columns` are all of the answer, of a check those that it must have. */
type Sent = { name: string; sql: string; columns: readonly string[]; isCheck?: true }

async function sentTo(platform: OsqueryPlatform): Promise<Sent[]> {
  const checks = catalogue.filter((check) => check.platforms.includes(platform))
  const { osquery_sql: demo } = demoCheckDraft()
  const hardware: string[] = []
  await readHardware(async (sql) => {
    hardware.push(sql)
    return { ok: true, rows: [], cost: { wallTimeMs: 0, userMs: 0, systemMs: 0, memoryBytes: 0 } }
  })
  return [
    ...checks.flatMap(({ slug, sql, options, primaryKeyColumn }) =>
      optionsOf(options).map((values) => ({
        name: slug,
        sql: renderSql(sql, options, values),
        columns: ['KOLIDE_CHECK_STATUS', ...(primaryKeyColumn === null ? [] : [primaryKeyColumn])],
        isCheck: true as const,
      })),
    ),
    { name: 'demo check', sql: demo, columns: ['files', 'KOLIDE_CHECK_STATUS'] },
    ...[...inventoryQueries[platform].values()].map(({ table, sql }) => ({
      name: table.name,
      sql,
      columns: table.columns.map(({ name }) => name),
    })),
    { name: 'link files', sql: linkSqlOf(deviceTypes[platform]), columns: ['path', 'type', 'uid', 'gid', 'mode'] },
    ...hardware.map((sql) => ({ name: 'hardware', sql, columns: ['uuid', 'hardware_serial'] })),
  ]
}

const isDeprecated = (read: string): boolean => {
  const [table = '', column = ''] = read.split('.')
  return osquerySchema.tables[table]?.deprecated?.includes(column) ?? false
}

for (const platform of platforms) {
  test(`osquery ${osquerySchema.version} prepares every query that ${platform} devices get`, async () => {
    const prepare = await openOsquery(platform)
    const sent = await sentTo(platform)
    const faults: string[] = []
    const deprecated = new Set<string>()
    for (const { name, sql, columns, isCheck = false } of sent) {
      try {
        const prepared = prepare(sql)
        const given = isCheck ? columns.filter((column) => prepared.columns.includes(column)) : prepared.columns
        if (given.join() !== columns.join()) faults.push(`${name}: gives ${given.join()}, not ${columns.join()}`)
        for (const read of prepared.reads.filter(isDeprecated)) deprecated.add(read)
      } catch (error) {
        faults.push(`${name}: ${error instanceof Error ? error.message : error}`)
      }
    }
    assert.deepEqual(faults, [])
    assert.deepEqual([...deprecated], [...deprecatedAndRead.keys()])
    assert.ok(sent.length >= 30, `${sent.length} queries`)
  })

  test(`a column that is renamed in osquery is found in each query for ${platform} that reads it`, async () => {
    const sent = await sentTo(platform)
    const prepare = await openOsquery(platform)
    const readers = Map.groupBy(
      sent.flatMap((query) => prepare(query.sql).reads.map((read) => ({ ...query, read }))),
      ({ read }) => read,
    )
    assert.ok(readers.size >= 100, `${readers.size} columns`)
    for (const [read, queries] of readers) {
      const renamed = await openOsquery(platform, (table, where) =>
        table === read.split('.')[0]
          ? [...(osqueryColumns(table, where) ?? [])].map(([name, type]) => [
              `${table}.${name}` === read ? `${name}_2` : name,
              type,
            ])
          : osqueryColumns(table, where),
      )
      for (const { name, sql } of queries) assert.throws(() => renamed(sql), Error, `${name} reads ${read}`)
    }
  })
}

const refused: readonly [platform: OsqueryPlatform, sql: string, message: RegExp][] = [
  ['linux', 'SELECT name FROM apps', /no such table: apps/],
  ['linux', 'SELECT secure_mode FROM secureboot', /no such column: secure_mode/],
  ['darwin', 'SELECT extension_type FROM safari_extensions', /no such column: extension_type/],
  ['darwin', "SELECT value FROM plist WHERE key = 'a'", /no query solution/],
  ['darwin', "SELECT size FROM file WHERE path = '/a' OR path LIKE '/b/%'", /no query solution/],
  ['darwin', 'SELECT f.size FROM file f LEFT JOIN users u ON f.path = u.directory', /no query solution/],
]
for (const [platform, sql, message] of refused) {
  test(`osquery would not answer on ${platform}: ${sql}`, async () => {
    const prepare = await openOsquery(platform)
    assert.throws(() => prepare(sql), message)
  })
}

for (const check of catalogue) {
  test(`the editor of custom checks understands the SQL of ${check.slug}`, () => {
    const inspected = inspectOsquerySql(renderSql(check.sql, check.options, {}))
    assert.ok(inspected.kind === 'query', JSON.stringify(inspected))
    assert.deepEqual(
      inspected.tables.filter((table) => !(table in osquerySchema.tables)),
      [],
    )
    assert.ok(inspected.tables.length > 0)
    assert.ok(inspected.columns?.includes('KOLIDE_CHECK_STATUS'), JSON.stringify(inspected))
  })
}
