import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inventoryTables } from './catalogue/catalogue.ts'
import { maxRowLength, maxRows, maxValueLength, readSnapshot } from './read-snapshot.ts'

const table = inventoryTables.find(({ name }) => name === 'device_dns_resolvers') ?? assert.fail()
const read = (rows: unknown) => readSnapshot({ table, rows, takenAt: '2026-11-20T09:00:00.000Z', isScheduled: true })
const row = (address: string, type = 'nameserver', netmask = '') => ({ type, address, netmask })

test('rows get exactly the columns of the table, as text', async () => {
  const { rows, isTruncated } = await read([
    { type: 'nameserver', address: 10, netmask: null, surplus: 'x' },
    { address: true, type: ['a'], netmask: { b: 1 } },
    'no row',
    null,
  ])
  assert.deepEqual(rows, [row('true', '["a"]', '{"b":1}'), row('10')])
  assert.equal(isTruncated, false)
})

test('what has none of the columns is no row, and what has one of them empty is', async () => {
  assert.deepEqual((await read([{ name: 'a', version: '1' }, {}, [], 7])).rows, [])
  const { rows, isTruncated } = await read([{ name: 'a' }, { netmask: '' }])
  assert.deepEqual([rows, isTruncated], [[row('', '')], false])
})

test('members of the prototype are no columns', async () => {
  const hostile = JSON.parse('[{"__proto__":{"address":"1"},"type":"a"}]')
  assert.deepEqual((await read(hostile)).rows, [row('', 'a')])
})

test('rows that say the same are one, and their order carries no meaning', async () => {
  const one = await read([row('1'), row('2'), row('1')])
  const other = await read([row('2'), row('1')])
  assert.deepEqual(one, other)
  assert.notDeepEqual(one.digest, (await read([row('1')])).digest)
  assert.notDeepEqual((await read([])).digest, (await read([row('')])).digest)
  assert.notDeepEqual((await read([row('a', 'b')])).digest, (await read([row('b', 'a')])).digest)
})

test('text that no database holds is mended', async () => {
  const { rows } = await read([row('nul\0byte'), row('half \ud800'), row('\udc00 half')])
  assert.deepEqual(rows.map(({ address }) => address).sort(), ['half \ufffd', 'nul\ufffdbyte', '\ufffd half'])
})

test('values and rows are cut, also in the middle of a pair', async () => {
  const [long] = (await read([row(`${'x'.repeat(maxValueLength - 1)}😀`)])).rows
  assert.equal(long?.['address'], `${'x'.repeat(maxValueLength - 1)}\ufffd`)
  const [wide] = (await read([row('y'.repeat(5_000), 'x'.repeat(5_000), 'z'.repeat(5_000))])).rows
  const lengths = Object.values(wide ?? {}).map(({ length }) => length)
  assert.ok(lengths.every((length) => length <= maxValueLength))
  assert.ok(lengths.reduce((sum, length) => sum + length) <= maxRowLength)
})

test('a huge snapshot is cut to the same rows in whichever order it comes', async () => {
  const many = Array.from({ length: maxRows + 50 }, (_, index) => row(String(index)))
  const [one, other] = [await read(many), await read(many.toReversed())]
  assert.deepEqual([one.rows.length, one.isTruncated], [maxRows, true])
  assert.deepEqual(one, other)
  const heavy = await read(
    Array.from({ length: 5_000 }, (_, index) => row(`${index}`, 'x'.repeat(1_000), 'y'.repeat(1_000))),
  )
  assert.ok(heavy.isTruncated && heavy.rows.length > 1_000 && heavy.rows.length < 2_500)
})

test('what is no list of rows is an empty table', async () => {
  for (const rows of [undefined, null, '', 'text', 7, {}]) assert.deepEqual((await read(rows)).rows, [])
})
