import assert from 'node:assert/strict'
import { glob } from 'node:fs/promises'
import { basename } from 'node:path'
import { test } from 'node:test'
import Format from 'typebox/format'
import { Value } from 'typebox/value'
import { features } from './features.ts'
import { envelope } from './pagination.ts'
import { Person } from './people.ts'
import { permissions } from './permissions.ts'
import { IdentifierInput, Link, Nullable, Text } from './schema-kit.ts'
import type { SearchField, SearchFields, SearchKind, SearchOperator } from './search.ts'
import { apiVersions, latestVersion } from './versions.ts'

type Json = { readonly [key: string]: unknown }

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const isRecord = (value: unknown): value is Json => isJson(value) && isJson(value['properties'])

const records: [name: string, schema: Json][] = []
const searches: [name: string, fields: SearchFields][] = []
for await (const file of glob('*.ts', { cwd: import.meta.dirname })) {
  if (basename(file).endsWith('.test.ts')) continue
  const module: Json = await import(`./${file}`)
  for (const [name, value] of Object.entries(module)) {
    if (isRecord(value)) records.push([name, value])
    if (name.endsWith('Search')) searches.push([name, value as SearchFields])
  }
}

Format.Set('json', (text) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
})

/** The same schema for a validator that does not know `nullable`, refusing members that no record declares. */
function strictly(schema: unknown): Json {
  if (!isJson(schema)) return {}
  const strict: Record<string, unknown> = { ...schema }
  if (isJson(schema['properties'])) {
    const properties = Object.entries(schema['properties'])
    strict['properties'] = Object.fromEntries(properties.map(([name, property]) => [name, strictly(property)]))
    strict['additionalProperties'] ??= false
  }
  if (schema['items']) strict['items'] = strictly(schema['items'])
  if (Array.isArray(schema['anyOf'])) strict['anyOf'] = schema['anyOf'].map(strictly)
  return schema['nullable'] === true ? { anyOf: [strict, { type: 'null' }] } : strict
}

const examplesOf = (schema: Json): unknown[] => (Array.isArray(schema['examples']) ? schema['examples'] : [])

/** Every schema inside a schema with its path, itself first. */
function* schemasWithin(schema: unknown, path: string): Generator<[path: string, schema: Json]> {
  if (!isJson(schema)) return
  yield [path, schema]
  if (isJson(schema['properties'])) {
    for (const [name, property] of Object.entries(schema['properties']))
      yield* schemasWithin(property, `${path}.${name}`)
  }
  yield* schemasWithin(schema['items'], `${path}[]`)
}

test('the suite sees the records and search fields that it judges', () => {
  assert.ok(records.length >= 20, `only ${records.length} records`)
  assert.ok(searches.length >= 8, `only ${searches.length} search tables`)
})

test('every record has an example, and every example is valid', () => {
  for (const [name, schema] of records) {
    const examples = examplesOf(schema)
    assert.ok(examples.length > 0, `${name} has no example`)
    const strict = strictly(schema)
    for (const example of examples) {
      assert.deepEqual([...Value.Errors(strict, example)], [], `an example of ${name} is not valid`)
    }
  }
})

test('an example with an unknown, missing or misspelt member would be found', () => {
  const strict = strictly(Person)
  const example = examplesOf({ ...Person })[0]
  assert.ok(isJson(example))
  const { email: _, ...withoutEmail } = example
  assert.equal(Value.Check(strict, example), true)
  assert.equal(Value.Check(strict, withoutEmail), false)
  assert.equal(Value.Check(strict, { ...example, nickname: 'Tom' }), false)
  assert.equal(Value.Check(strict, { ...example, created_at: 'yesterday' }), false)
  assert.equal(Value.Check(strict, { ...example, last_authenticated_at: null }), true)
  assert.equal(Value.Check(strict, { ...example, created_at: null }), false)
})

test('every record and every member of one is described in a sentence', () => {
  for (const [name, record] of records) {
    for (const [path, schema] of schemasWithin(record, name)) {
      // What an array of plain strings holds is said by the array.
      if (path.endsWith('[]') && !isRecord(schema)) continue
      assert.match(String(schema['description'] ?? ''), /^[A-Z`].+\.$/s, `${path} is not described`)
    }
  }
})

test('every nullable schema names its type, as validators ask', () => {
  let nullable = 0
  for (const [name, record] of records) {
    for (const [path, schema] of schemasWithin(record, name)) {
      if (schema['nullable'] !== true) continue
      nullable += 1
      assert.equal(typeof schema['type'], 'string', `${path} has no type`)
    }
  }
  assert.ok(nullable > 20)
})

test('every record has a title of its own', () => {
  const titles = records.map(([, schema]) => schema['title'])
  assert.equal(new Set(titles).size, titles.length)
  assert.ok(titles.every((title) => typeof title === 'string' && /^[A-Z][A-Za-z]+$/.test(title)))
})

const legalOperators: Record<SearchKind, readonly SearchOperator[]> = {
  string: [':', '~'],
  string_list: [':', '~'],
  identifier: [':'],
  datetime: [':', '<', '<=', '>', '>='],
  boolean: [':'],
  enum: [':', '~'],
}

const takesLists = new Set<SearchKind>(['string', 'string_list', 'identifier', 'enum'])

test('search fields use only the operators of their kind', () => {
  for (const [name, fields] of searches) {
    for (const [field, definition] of Object.entries<SearchField>(fields)) {
      assert.deepEqual(
        [...definition.operators].sort(),
        [...legalOperators[definition.kind]].sort(),
        `${name}.${field}`,
      )
      assert.equal(definition.multiple === true, takesLists.has(definition.kind), `${name}.${field} multiple`)
      if (definition.kind === 'enum') assert.ok(definition.values.length > 1, `${name}.${field} values`)
    }
  }
})

test('a search field accepts null exactly where its record does', () => {
  const searchOf: Record<string, string> = { AuditLog: 'auditLogSearch', CheckResult: 'checkResultSearch' }
  let compared = 0
  for (const [name, record] of records) {
    const searchName = searchOf[name] ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}Search`
    const fields = searches.find(([search]) => search === searchName)?.[1]
    for (const [field, definition] of Object.entries(fields ?? {})) {
      const member = isJson(record['properties']) ? record['properties'][field] : undefined
      if (!isJson(member)) continue
      compared += 1
      assert.equal(definition.nullable === true, member['nullable'] === true, `${searchName}.${field}`)
    }
  }
  assert.ok(compared > 30, `only ${compared} fields compared`)
})

test('there are the thirteen write permissions, each code and title once', () => {
  assert.deepEqual(Object.keys(permissions).sort(), [
    'configure_checks',
    'create_live_query',
    'download_packages',
    'manage_custom_check_drafts',
    'manage_device_groups',
    'manage_people',
    'manage_ssf_streams',
    'manage_user_requests',
    'manage_webhooks',
    'refresh_check',
    'remove_devices',
    'run_external_checks',
    'update_devices',
  ])
  const titles = Object.values(permissions).map(({ title }) => title)
  assert.equal(new Set(titles).size, titles.length)
})

test('no code names both a permission and a plan feature', () => {
  const codes = [...Object.keys(permissions), ...Object.keys(features)]
  assert.equal(new Set(codes).size, codes.length)
  assert.deepEqual(Object.keys(features), ['write_api', 'ssf', 'live_query', 'reporting', 'custom_checks', 'scim'])
})

test('the latest version is the newest date', () => {
  assert.equal(latestVersion, [...apiVersions].sort().at(-1))
})

test('identifiers in requests are digits or whole numbers that fit 64 bits', () => {
  const input = IdentifierInput('A record.')
  for (const value of ['0', '1042', '999999999999999999', 7, Number.MAX_SAFE_INTEGER]) {
    assert.equal(Value.Check(input, value), true, String(value))
  }
  for (const value of ['', ' 1', '1e3', '-1', '9223372036854775808', -1, 1.5, 2 ** 53, null, true]) {
    assert.equal(Value.Check(input, value), false, String(value))
  }
})

test('nothing linked is a blank identifier and no address', () => {
  const strict = strictly(Link('Someone.'))
  assert.equal(Value.Check(strict, { identifier: '', link: null }), true)
  assert.equal(Value.Check(strict, { identifier: null, link: null }), false)
  assert.equal(Value.Check(strict, { identifier: '1', link: 'people/1' }), false)
})

test('a nullable schema keeps its description unless it is given another', () => {
  assert.deepEqual({ ...Nullable(Text('A note.')) }, { type: 'string', description: 'A note.', nullable: true })
  assert.deepEqual(
    { ...Nullable(Text('A note.'), { description: 'Its note.' }) },
    { type: 'string', description: 'Its note.', nullable: true },
  )
})

test('a list answer holds its records and says where it stands', () => {
  const strict = strictly(envelope(Person))
  const pagination = { next: '', current_cursor: '', next_cursor: '', count: 1 }
  assert.equal(Value.Check(strict, { data: examplesOf({ ...Person }), pagination }), true)
  assert.equal(Value.Check(strict, { data: [], pagination: { ...pagination, next: null } }), false)
  assert.equal(Value.Check(strict, { data: [{}], pagination }), false)
})
