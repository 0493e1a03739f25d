import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inventoryTables } from './catalogue/catalogue.ts'
import { maxRowLength, maxRows, maxValueLength, readSnapshot } from './read-snapshot.ts'

const table = inventoryTables.find(({ name }) => name === 'device_dns_resolvers') ?? assert.fail()
const read = (rows: unknown) => readSnapshot({ table, rows, takenAt: '2026-11-20T09:00:00.000Z', isScheduled: true })
const row = (address: string, type = 'nameserver', netmask = '') => ({ type, address, netmask })

test('rows get exactly the columns of the table, as text', () => {
  const { rows, isTruncated } = read([
    { type: 'nameserver', address: 10, netmask: null, surplus: 'x' },
    { address: true, type: ['a'], netmask: { b: 1 } },
    'no row',
    null,
  ])
  assert.deepEqual(rows, [row('true', '["a"]', '{"b":1}'), row('10')])
  assert.equal(isTruncated, false)
})

test('what has none of the columns is no row, and what has one of them empty is', () => {
  assert.deepEqual(read([{ name: 'a', version: '1' }, {}, [], 7]).rows, [])
  const { rows, isTruncated } = read([{ name: 'a' }, { netmask: '' }])
  assert.deepEqual([rows, isTruncated], [[row('', '')], false])
})

test('members of the prototype are no columns', () => {
  const hostile = JSON.parse('[{"__proto__":{"address":"1"},"type":"a"}]')
  assert.deepEqual(read(hostile).rows, [row('', 'a')])
})

test('rows that say the same are one, and their order carries no meaning', () => {
  const one = read([row('1'), row('2'), row('1')])
  const other = read([row('2'), row('1')])
  assert.deepEqual(one, other)
  assert.notDeepEqual(one.digest, read([row('1')]).digest)
  assert.notDeepEqual(read([]).digest, read([row('')]).digest)
  assert.notDeepEqual(read([row('a', 'b')]).digest, read([row('b', 'a')]).digest)
})

test('text that no database holds is mended', () => {
  const { rows } = read([row('nul\0byte'), row('half \ud800'), row('\udc00 half')])
  assert.deepEqual(rows.map(({ address }) => address).sort(), ['half \ufffd', 'nul\ufffdbyte', '\ufffd half'])
})

test('values and rows are cut, also in the middle of a pair', () => {
  const [long] = read([row(`${'x'.repeat(maxValueLength - 1)}😀`)]).rows
  assert.equal(long?.['address'], `${'x'.repeat(maxValueLength - 1)}\ufffd`)
  const [wide] = read([row('y'.repeat(5_000), 'x'.repeat(5_000), 'z'.repeat(5_000))]).rows
  const lengths = Object.values(wide ?? {}).map(({ length }) => length)
  assert.ok(lengths.every((length) => length <= maxValueLength))
  assert.ok(lengths.reduce((sum, length) => sum + length) <= maxRowLength)
})

test('a huge snapshot is cut to the same rows in whichever order it comes', () => {
  const many = Array.from({ length: maxRows + 50 }, (_, index) => row(String(index)))
  const [one, other] = [read(many), read(many.toReversed())]
  assert.deepEqual([one.rows.length, one.isTruncated], [maxRows, true])
  assert.deepEqual(one, other)
  const heavy = read(Array.from({ length: 5_000 }, (_, index) => row(`${index}`, 'x'.repeat(1_000), 'y'.repeat(1_000))))
  assert.ok(heavy.isTruncated && heavy.rows.length > 1_000 && heavy.rows.length < 2_500)
})

test('what is no list of rows is an empty table', () => {
  for (const rows of [undefined, null, '', 'text', 7, {}]) assert.deepEqual(read(rows).rows, [])
})
