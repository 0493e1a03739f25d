import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { testMigrations } from './test-schema.ts'
import { instantFromText } from './values.ts'

const database = testDatabase(testMigrations)

/** What each expression reads as, on both engines. */
const readings: [expression: string, value: unknown][] = [
  ['null::text', null],
  ['true', true],
  ['false', false],
  ["'naïve ☃ text'::text", 'naïve ☃ text'],
  ["'short'::varchar(9)", 'short'],
  ["'ab'::char(4)", 'ab  '],
  ['32767::int2', 32767],
  ['2147483647::int4', 2147483647],
  ['9223372036854775807::int8', '9223372036854775807'],
  ['array[1, null, -9223372036854775808]::int8[]', ['1', null, '-9223372036854775808']],
  ['array[1, 2]::int4[]', [1, 2]],
  [
    'array[[1, 2], [3, 4]]::int4[]',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["'{}'::text[]", []],
  [`array['a,b', 'c"d', 'e\\f', '{g}', 'NULL', null, '']::text[]`, ['a,b', 'c"d', 'e\\f', '{g}', 'NULL', null, '']],
  ['array[true, false]', [true, false]],
  ['1.5::float8', 1.5],
  ['0.1::float4', 0.1],
  ["'NaN'::float8", Number.NaN],
  ["'-Infinity'::float8", Number.NEGATIVE_INFINITY],
  ['array[0.5, 1e300]::float8[]', [0.5, 1e300]],
  ['12345678901234567890.123456789::numeric', '12345678901234567890.123456789'],
  ['array[1.10, 2]::numeric[]', ['1.10', '2']],
  ['count(*)', '1'],
  [`'{"a": [1, "two", null], "b": {"c": true}}'::jsonb`, { a: [1, 'two', null], b: { c: true } }],
  [`'"text"'::json`, 'text'],
  [`'null'::jsonb`, null],
  [`array['{"a": 1}', '[]']::jsonb[]`, [{ a: 1 }, []]],
  ["'\\x00ff10'::bytea", Buffer.from([0, 255, 16])],
  ["''::bytea", Buffer.alloc(0)],
  ["array['\\x01'::bytea]", [Buffer.from([1])]],
  ["'2026-11-20'::date", '2026-11-20'],
  ["array['2026-11-20'::date]", ['2026-11-20']],
  ["'2026-11-20 10:00:00+00'::timestamptz", '2026-11-20T10:00:00.000Z'],
  ["'2026-11-20 10:00:00.5+02'::timestamptz", '2026-11-20T08:00:00.500Z'],
  ["'2026-11-20 10:00:00.123999+00'::timestamptz", '2026-11-20T10:00:00.123Z'],
  ["array['2026-11-20 10:00:00.01+00', null]::timestamptz[]", ['2026-11-20T10:00:00.010Z', null]],
  ["'infinity'::timestamptz", 'infinity'],
  ["'0044-03-15 12:00:00+00 BC'::timestamptz", '-000043-03-15T12:00:00.000Z'],
  ["'12026-01-02 03:04:05.678+00'::timestamptz", '+012026-01-02T03:04:05.678Z'],
  ["'2026-11-20 10:00:00'::timestamp", '2026-11-20 10:00:00'],
  ["'01020304-0506-0708-090a-0b0c0d0e0f10'::uuid", '01020304-0506-0708-090a-0b0c0d0e0f10'],
  ["'10.0.0.0/8'::cidr", '10.0.0.0/8'],
]

test('a value reads the same on both engines, with and without parameters', async () => {
  for (const [expression, expected] of readings) {
    const plain = await sql<{ value: unknown }>`select ${sql.raw(expression)} as value`.execute(database.db)
    assert.deepEqual(plain.rows, [{ value: expected }], expression)
    const bound = await sql<{ value: unknown }>`select ${sql.raw(expression)} as value where ${1}::int = 1`.execute(
      database.db,
    )
    assert.deepEqual(bound.rows, [{ value: expected }], expression)
  }
})

/** What each parameter becomes, as the database sees it. */
const writings: [value: unknown, cast: string, expected: unknown][] = [
  [null, 'text', null],
  [undefined, 'text', null],
  [`it's "q" \\ ☃`, 'text', `it's "q" \\ ☃`],
  [true, 'bool', true],
  [12, 'int4', 12],
  [1.25, 'float8', 1.25],
  ['9223372036854775807', 'int8', '9223372036854775807'],
  [9007199254740993n, 'int8', '9007199254740993'],
  [['1', '9223372036854775807', null], 'int8[]', ['1', '9223372036854775807', null]],
  [['a,b', 'c"d', 'e\\f', '{g}', 'NULL', null, ''], 'text[]', ['a,b', 'c"d', 'e\\f', '{g}', 'NULL', null, '']],
  [[], 'text[]', []],
  [
    [
      ['1', '2'],
      ['3', '4'],
    ],
    'int8[]',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  [[true, false], 'bool[]', [true, false]],
  [Buffer.from([0, 1, 255]), 'bytea', Buffer.from([0, 1, 255])],
  [new Uint8Array([7, 8]), 'bytea', Buffer.from([7, 8])],
  [new Uint8Array([1, 2, 3, 4]).subarray(1, 3), 'bytea', Buffer.from([2, 3])],
  [[Buffer.from([9]), new Uint8Array([10])], 'bytea[]', [Buffer.from([9]), Buffer.from([10])]],
  [new Date('2026-11-20T10:00:00.123Z'), 'timestamptz', '2026-11-20T10:00:00.123Z'],
  ['2026-11-20T10:00:00.123Z', 'timestamptz', '2026-11-20T10:00:00.123Z'],
  [['2026-11-20T10:00:00.000Z'], 'timestamptz[]', ['2026-11-20T10:00:00.000Z']],
  ['2026-11-20', 'date', '2026-11-20'],
  ['12.50', 'numeric', '12.50'],
  ['{"a": [1]}', 'jsonb', { a: [1] }],
  ['[1, 2]', 'jsonb', [1, 2]],
  [{ a: { b: null } }, 'jsonb', { a: { b: null } }],
]

test('a parameter arrives the same on both engines', async () => {
  for (const [value, cast, expected] of writings) {
    const { rows } = await sql<{ value: unknown }>`select ${value}::${sql.raw(cast)} as value`.execute(database.db)
    assert.deepEqual(rows, [{ value: expected }], `${JSON.stringify(String(value))} as ${cast}`)
  }
})

test('lists of identifiers work with any and unnest', async () => {
  const { rows: found } = await sql`
    select value from generate_series(1::bigint, 5) as value
    where value = any(${['2', '4', '77']}::bigint[]) order by value`.execute(database.db)
  assert.deepEqual(found, [{ value: '2' }, { value: '4' }])
  const { rows: zipped } = await sql`
    select * from unnest(${['1', '2']}::bigint[], ${['one', null]}::text[]) as pair(id, name)`.execute(database.db)
  assert.deepEqual(zipped, [
    { id: '1', name: 'one' },
    { id: '2', name: null },
  ])
})

test('a row of many columns and a large value come back whole', async () => {
  const large = 'x☃'.repeat(400_000)
  const { rows } = await sql<{ large: string; n: number }>`select ${large}::text as large, ${7}::int as n`.execute(
    database.db,
  )
  assert.equal(rows[0]?.large === large, true)
  assert.equal(rows[0]?.n, 7)
})

test('changed rows are counted and returned alike', async () => {
  const insert = sql`insert into entries (name) select 'n' || g from generate_series(1, ${3}::int) g`
  assert.equal((await insert.execute(database.db)).numAffectedRows, 3n)
  const update = await sql`update entries set amount = 2 where name <> ${'n1'} returning name`.execute(database.db)
  assert.equal(update.numAffectedRows, 2n)
  assert.deepEqual(update.rows.length, 2)
  assert.equal((await sql`delete from entries`.execute(database.db)).numAffectedRows, 3n)
})

test('an error carries its code and constraint on both engines', async () => {
  await sql`insert into entries (name) values ('taken')`.execute(database.db)
  await assert.rejects(sql`insert into entries (name) values (${'taken'})`.execute(database.db), {
    code: '23505',
    constraint: 'entries_name_key',
    table: 'entries',
    detail: 'Key (name)=(taken) already exists.',
  })
  await assert.rejects(sql`select ${'x'}::int`.execute(database.db), { code: '22P02' })
})

test('a timestamp that is not at UTC is refused rather than misread', () => {
  assert.throws(() => instantFromText('2026-11-20 10:00:00+01'), /Not a timestamp at UTC/)
})
