import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SearchField, SearchOperator } from '@muster/contract/search.ts'
import { apiVersions } from '@muster/contract/versions.ts'
import type { Operation } from '../../src/http/operations.ts'
import { testApp } from '../support/app.ts'
import { addressOf } from './addresses.ts'
import { factKey, facts } from './facts.ts'
import { populate, type World } from './populate.ts'
import { addressesOfPeople, isFound, quoted, valuesIn, type WireRecord } from './record-search.ts'

const harness = testApp()
let filling: Promise<World> | undefined

/** Hooks of one file run side by side, so the first test that needs the world fills it. */
function filled(): Promise<World> {
  filling ??= fill()
  return filling
}

async function fill(): Promise<World> {
  const world = await populate(harness, harness.tenant.organizationId)
  const { body } = await harness.ask('GET', '/people?per_page=100')
  for (const { id, email } of body.data) addressesOfPeople.set(id, email)
  return world
}

const lists = (): Operation[] =>
  harness.app.kit.operations.filter(({ search }) => search && Object.keys(search).length > 0)

const operators: readonly SearchOperator[] = [':', '~', '<', '<=', '>', '>=']
/** What a list lists. */
const recordOf = (operation: Operation) => facts.operations[factKey(operation)]?.record ?? operation.operationId

/** The table of the world is one about people; the others are searched by the device or the check. */
const fieldsOf = ({ operationId, search }: Operation): [string, SearchField][] =>
  Object.entries(search ?? {}).filter(([name]) => operationId !== 'listTableRecords' || name === 'person_id')

async function search(path: string, version: string, query: string) {
  const url = `${path}?per_page=100&query=${encodeURIComponent(query)}`
  return harness.ask('GET', url, { headers: { 'x-service-api-version': version } })
}

/** Values to look for: some that are held, parts of them in another case, and one that is not. */
function wantedOf(field: SearchField, operator: SearchOperator, held: readonly string[]): string[] {
  const some = [...new Set(held)].slice(0, 3)
  if (operator === '~') {
    const parts = some.flatMap((value) => [value.slice(1, 5), value.slice(-3)]).filter((part) => part !== '')
    return [...some, ...parts.map((part) => part.toUpperCase()), 'nowhere at all'].filter((value) => value !== '')
  }
  if (field.kind === 'datetime') return [...some, '2020-01-01T00:00:00.000Z']
  if (field.kind === 'boolean') return ['true', 'false']
  if (field.kind === 'enum') return [...field.values, ...field.values.map((value) => value.toUpperCase())]
  const others = field.ignoreCase ? some.map((value) => value.toUpperCase()) : []
  return [...some, ...others, '123456789']
}

/** The same value as another client may write it. */
const recased = (value: string, field: SearchField): string =>
  field.kind === 'enum' || field.ignoreCase ? value.toUpperCase() : value

type Case = { query: string; expected: readonly WireRecord[] }

function casesOf(kind: string, name: string, field: SearchField, records: readonly WireRecord[]): Case[] {
  const held = records.flatMap((record) => valuesIn(kind, name, record).flatMap((value) => value ?? []))
  const texts = held.map(String)
  const found = (operator: SearchOperator, wanted: string | null) =>
    records.filter((record) => isFound(valuesIn(kind, name, record), field, operator, wanted))
  const cases = field.operators.flatMap((operator) =>
    wantedOf(field, operator, texts).map((wanted) => ({
      query: `${name}${operator}${quoted(wanted)}`,
      expected: found(operator, wanted),
    })),
  )
  if (field.nullable) cases.push({ query: `${name}:null`, expected: found(':', null) })
  if (field.multiple) {
    const some = [...new Set(texts)].slice(0, 2)
    const expected = records.filter((record) => some.some((value) => valuesIn(kind, name, record).includes(value)))
    cases.push({ query: `${name}:[${some.map((value) => quoted(recased(value, field))).join(',')}]`, expected })
    cases.push({ query: `${name}:[${some.map(quoted).join(',')}]`, expected })
    if (some.every((value) => /^[^\s,"[\]]+$/.test(value)))
      cases.push({ query: `${name}:[${some.join(', ')}]`, expected })
  }
  return cases
}

for (const version of apiVersions) {
  test(`${version}: every field finds with each of its operators just what it should, and has no other operator`, async () => {
    const world = await filled()
    let asked = 0
    for (const operation of lists().filter(({ versions }) => versions.includes(version))) {
      const path = addressOf(operation, world)
      const { body } = await search(path, version, '')
      const records: WireRecord[] = body.data
      assert.equal(body.pagination.next, '', `${path} has more records than a page holds`)
      assert.ok(records.length > 0, `${path} lists nothing`)
      for (const [name, field] of fieldsOf(operation)) {
        for (const { query, expected } of casesOf(recordOf(operation), name, field, records)) {
          const answer = await search(path, version, query)
          assert.equal(answer.status, 200, `${path} ${query}: ${JSON.stringify(answer.body)}`)
          assert.deepEqual(answer.body.data, expected, `${path} ${query}`)
          asked += 1
        }
        for (const operator of operators.filter((one) => !field.operators.includes(one))) {
          const { status, body: refusal } = await search(path, version, `${name}${operator}"1"`)
          assert.deepEqual([status, refusal.error], [422, 'search_invalid'], `${path} ${name}${operator}`)
        }
      }
      assert.equal((await search(path, version, 'nonsense:1')).status, 422)
    }
    assert.ok(asked > 300, `only ${asked} searches`)
  })
}

/** What is the same for all that a list can hold. */
const constant: readonly string[] = [
  // All are, until the console has drafts of live queries.
  'listLiveQueryCampaigns published',
  'listCheckResultsOfDevice device_display_name',
  'listCheckResultsOfCheck check_name',
  'listOpenIssuesOfDevice device_id',
  'listOpenIssuesOfDevice resolved_at',
  'listOpenIssuesOfPerson resolved_at',
  'listDevicesOfPerson registered_owner',
]

test('every field is shown to find something and to leave something out', async () => {
  const world = await filled()
  const idle = new Set<string>()
  for (const operation of lists()) {
    const path = addressOf(operation, world)
    const version = operation.versions[0] ?? ''
    const records: WireRecord[] = (await search(path, version, '')).body.data
    for (const [name, field] of fieldsOf(operation)) {
      const sizes = casesOf(recordOf(operation), name, field, records).map(({ expected }) => expected.length)
      if (!sizes.some((size) => size > 0 && size < records.length)) idle.add(`${operation.operationId} ${name}`)
    }
  }
  assert.deepEqual([...idle].sort(), constant.toSorted())
})
