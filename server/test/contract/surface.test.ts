import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SearchField } from '@muster/contract/search.ts'
import { apiVersions } from '@muster/contract/versions.ts'
import type { Operation } from '../../src/http/operations.ts'
import { testApp } from '../support/app.ts'
import { additions, factKey, facts, ownSearches, type SearchFact, searchAdditions } from './facts.ts'

const trial = testApp()

type Schema = {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: readonly string[]
  additionalProperties?: unknown
}

const operationOf = (key: string): Operation | undefined =>
  trial.app.kit.operations.find((operation) => factKey(operation) === key)

/** What the schema of a record has other than the facts, at any depth. */
function differences(record: string, schema: Schema): string[] {
  const expected = facts.records[record] ?? assert.fail(`no facts of ${record}`)
  const properties = schema.properties ?? {}
  // Records whose members the caller decides.
  if (schema.additionalProperties && expected.length <= 1) return []
  const wanted = new Set([...expected, ...(additions[record] ?? [])])
  return [
    ...[...wanted].filter((name) => !(name in properties)).map((name) => `${record} lacks ${name}`),
    ...Object.keys(properties)
      .filter((name) => !wanted.has(name))
      .map((name) => `${record} has ${name}`),
    ...Object.entries(properties).flatMap(([name, member]) => within(record, name, member)),
  ]
}

function within(record: string, name: string, member: Schema): string[] {
  const nested = facts.nested[`${record}.${name}`]
  const values = facts.enums[`${record}.${name}`]
  const inner = member.type === 'array' ? (member.items ?? {}) : member
  const faults = nested ? differences(nested, inner) : []
  const isSame = !values || [...(inner.enum ?? [])].sort().join() === [...values].sort().join()
  return isSame ? faults : [...faults, `${record}.${name} is one of ${inner.enum?.join()}, not of ${values?.join()}`]
}

const kindOf = ({ kind, ...field }: SearchField): SearchFact => {
  if (kind === 'identifier') return 'multiple' in field ? 'several' : 'string'
  return kind === 'string_list' ? 'list' : kind
}

function faultsOf(key: string): string[] {
  const fact = facts.operations[key] ?? assert.fail(key)
  const operation = operationOf(key)
  if (!operation) return [`${key} is not served`]
  const versions = fact.only ? [fact.only] : [...apiVersions]
  const answer = operation.answer as Schema | undefined
  const record = fact.shape === 'list' ? answer?.properties?.['data']?.items : answer
  const search = Object.fromEntries(
    Object.entries(operation.search ?? {}).map(([name, field]) => [name, kindOf(field)]),
  )
  const expected = fact.search ? { ...fact.search, ...searchAdditions[fact.record] } : ownSearches[key]
  const sorted = (table: object) => JSON.stringify(Object.entries(table).sort())
  return [
    ...(operation.versions.toSorted().join() === versions.toSorted().join()
      ? []
      : [`${key} is in ${operation.versions.join()}`]),
    ...differences(fact.record, record ?? {}),
    ...(fact.body && operation.body ? differences(fact.body, operation.body as Schema) : []),
    ...(sorted(search) === sorted(expected ?? {}) ? [] : [`${key} is searched by ${sorted(search)}`]),
  ].map((fault) => `${key}: ${fault}`)
}

test('every operation is there in its versions, with just the members, values and search fields of the contract', () => {
  assert.deepEqual(Object.keys(facts.operations).flatMap(faultsOf), [])
})

test('every operation beyond the contract is known to be one', () => {
  const known = new Set([...Object.keys(facts.operations), ...(additions['operations'] ?? [])])
  const others = trial.app.kit.operations.map(factKey).filter((key) => !known.has(key))
  assert.deepEqual(
    others,
    [],
    'Add an operation of our own to `additions.operations` in server/test/contract/facts.ts.',
  )
})
