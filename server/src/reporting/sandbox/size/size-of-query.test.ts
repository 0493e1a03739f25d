import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSelect } from '../parse-select.ts'
import { QueryRefused } from '../query-refused.ts'
import { faultOfLedger, type Ledger, maxPeakBytes, peakBytes, uncountedBytes, workMemoryKilobytes } from './ledger.ts'
import { minSizeOfQuery, sizeOfQuery } from './size-of-query.ts'
import type { TableMeasure } from './table-relations.ts'

const measures = new Map<string, TableMeasure>([
  ['person_people', { rows: 2_000, widths: new Map([...names('person_name', 'email', 'usernames')]) }],
  [
    'person_registered_devices',
    { rows: 3_000, widths: new Map(names('person_name', 'email', 'device_name', 'serial')) },
  ],
  [
    'check_results',
    { rows: 150_000, widths: new Map([...names('check_name', 'check_slug', 'device_name'), ['rows', 4_000]]) },
  ],
  ['check_catalog', { rows: 50, widths: new Map(names('check_name', 'slug', 'platforms', 'topics')) }],
  ['device_software', { rows: 400_000, widths: new Map(names('name', 'version', 'device_name', 'publisher')) }],
])

function names(...columns: string[]): [string, number][] {
  return columns.map((column) => [column, 40])
}

async function faultOf(text: string): Promise<string | undefined> {
  const { select } = await parseSelect(text)
  try {
    return faultOfLedger(sizeOfQuery(select, measures))
  } catch (error) {
    assert.ok(error instanceof QueryRefused, String(error))
    return error.message
  }
}

const wide = `replace(lpad('', 1000, 'a'), 'a', lpad('', 1000, 'b'))`

const tooLarge: readonly [title: string, sql: string, fault: RegExp][] = [
  [
    'the text of the review',
    `select length(translate(replace(lpad('',900,'a'),'a',lpad('',1000,'b')), lpad('',1000,'x'), lpad('',1000,'y'))) as n`,
    /^translate could compute for too long/,
  ],
  [
    'replacements within replacements',
    `select length(replace(${wide}, 'b', lpad('', 1000, 'c'))) as n`,
    /^replace could make a value of \d+ (MB|GB)/,
  ],
  [
    'a text collected',
    `select length(string_agg(w || '1', '')) as n from (select ${wide} as w, x from generate_series(1, 500) as x) q`,
    /^string_agg could collect/,
  ],
  [
    'columns collected',
    `select ${[1, 2, 3, 4, 5, 6].map((n) => `string_agg(lpad('', 1000, 'a'), '') as c${n}`).join()} from generate_series(1, 1000) a, generate_series(1, 500) b`,
    /^string_agg could collect/,
  ],
  [
    'a list collected',
    'select array_agg(s.name) from device_software s, device_software t',
    /^array_agg could collect/,
  ],
  ['JSON collected', 'select jsonb_agg(r) from check_results r', /^jsonb_agg could collect/],
  [
    'a list by a subquery',
    'select array(select name from device_software s cross join generate_series(1, 1000) g) as l',
    /^array\(…\) could collect/,
  ],
  [
    'a list to look up in',
    'select 1 from person_people where person_id not in (select a.a + b.b * c.c from generate_series(1, 1000) a, generate_series(1, 1000) b, generate_series(1, 1000) c)',
    /^A list of a subquery could collect/,
  ],
  [
    'texts that double',
    `with ${Array.from({ length: 24 }, (_, n) => `t${n} as (select ${n === 0 ? `lpad('', 900, 'a')` : 'x || x'} as x${n === 0 ? '' : ` from t${n - 1}`})`).join()} select length(x) from t23`,
    /could (make a value|need)/,
  ],
  ['rows quoted in rows', `select ${'row('.repeat(30)}'"'${')'.repeat(30)}::text as t`, /could make a value/],
  ['JSON escaped in JSON', `select ${'to_json('.repeat(12)}'"'${'::text)'.repeat(12)} as t`, /could make a value/],
  [
    'a number with an exponent',
    `select array(select '1e131071'::numeric::text from generate_series(1, 1000)) as l`,
    /could collect/,
  ],
  [
    'numbers multiplied',
    `select ${'n.n * '.repeat(60)}1 as p from (select '1e100000'::numeric as n) as n`,
    /could (compute|make)/,
  ],
  ['JSON from text that may hold exponents', 'select to_jsonb(email::json) from person_people', /cannot become jsonb/],
  [
    'many groupings',
    'select count(*) from check_results group by cube (check_id, check_name, device_id, device_name, status, ran_at, error_message)',
    /group in 64 ways/,
  ],
  [
    'a replacement of nothing',
    `select regexp_replace(rpad('', 1000, 'a'), '', rpad('', 1000, 'b'), 'g') || regexp_replace(rpad('', 1000, 'a'), 'x*', rpad('', 1000, 'b'), 'g') as t`,
    /could/,
  ],
  [
    'nulls joined',
    `select array_to_string(string_to_array(rpad('', 1000, 'a'), null, 'a'), '', rpad('', 1000, 'b')) as t`,
    /could/,
  ],
  [
    'many sorts of wide rows',
    `select ${Array.from({ length: 40 }, (_, n) => `count(distinct w || ${n}) as c${n}`).join()} from (select ${wide} as w from generate_series(1, 1000)) q`,
    /could/,
  ],
]

for (const [title, text, fault] of tooLarge) {
  test(`too large: ${title}`, async () => {
    assert.match((await faultOf(text)) ?? 'nothing is wrong', fault)
  })
}

const ordinary: readonly string[] = [
  `select p.person_name, p.email, count(*) as failing from check_results r join person_registered_devices p using (device_id)
    where r.status = 'failing' group by 1, 2 order by failing desc`,
  `select person_name, string_agg(device_name, ', ' order by device_name) as devices
    from person_people p join person_registered_devices d using (person_id, person_name) group by 1`,
  `with failing as (select device_id, count(*) as n from check_results where status = 'failing' group by device_id)
    select d.device_name, f.n, array_agg(p.email) from failing f join person_registered_devices d using (device_id)
    join person_people p on p.person_id = d.person_id group by 1, 2`,
  `select r.device_name, key.value ->> 'path' as path from check_results r cross join lateral jsonb_array_elements(r.rows) as key
    where key.value ->> 'KOLIDE_CHECK_STATUS' = 'FAIL'`,
  `select name, version, count(distinct device_id) as devices from device_software group by name, version order by 3 desc limit 100`,
  `select check_name, round(100.0 * count(*) filter (where status = 'passing') / nullif(count(*), 0), 1) as percent
    from check_results group by check_name`,
  `select upper(left(device_name, 20)) || ': ' || coalesce(serial, '?') as label, to_char(registered_at, 'YYYY-MM-DD') as day
    from person_registered_devices where person_name ilike '%a%'`,
  `select device_id, row_number() over (partition by check_id order by device_id) as n, lag(status) over w from check_results
    window w as (partition by check_id order by ran_at)`,
  `select slug, array_to_string(platforms, ', ') as platforms from check_catalog where 'linux' = any(platforms)`,
]

for (const text of ordinary) {
  test(`fits: ${text.replaceAll(/\s+/g, ' ').slice(0, 80)}`, async () => {
    assert.equal(await faultOf(text), undefined)
  })
}

const manyRows = 'generate_series(1, 1000) as a, generate_series(1, 500) as b'
const long = `lpad(a::text || b, 900, 'x')`

const from = `from (select ${long} as w from ${manyRows}) x`

/** Texts of 900 characters, which may have four bytes each, half a million of them. */
const byOneValue: readonly [title: string, sql: string][] = [
  ['order by its place', `select ${long} as w from ${manyRows} order by 1 desc`],
  ['order by what is not selected', `select 1 as one from ${manyRows} order by ${long}`],
  ['group by', `select count(*) as n from ${manyRows} group by ${long}`],
  ['group by its place', `select 'short' as s, ${long} as w from ${manyRows} group by 2, 1`],
  ['distinct', `select distinct ${long} as w from ${manyRows}`],
  ['union', `select ${long} as w from ${manyRows} union select 'x'`],
  ['order by of a union', `(select 'x' as w) union all (select ${long} from ${manyRows}) order by w`],
  ['partition by', `select count(*) over (partition by ${long}) as n from ${manyRows}`],
  ['window', `select rank() over w as n from ${manyRows} window w as (order by ${long})`],
  ['join', `select 1 as one ${from} join device_software s on s.name = w`],
  ['join by a cast', `select 1 as one ${from} join device_software s on s.name = x.w::text`],
  ['using', `select 1 as one ${from} join (select name as w from device_software) y using (w)`],
  ['natural join', `select 1 as one ${from} natural join (select name as w from device_software) y`],
  ['where', `select 1 as one ${from}, device_software s where (x.w, 1) = (s.name, 1)`],
  [
    'all columns of an outer row',
    `select 1 as one from (select ${long} as w from generate_series(1, 9) as a, generate_series(1, 9) as b) x,
      lateral (select x.* from ${manyRows} order by 1 offset 1) y`,
  ],
  ['exists', `select 1 as one ${from} where exists (select 1 from device_software s where s.name = w)`],
  ['in', `select 1 as one ${from} where w in (select name from device_software limit 9)`],
]

async function ledgerOf(text: string): Promise<Ledger> {
  return sizeOfQuery((await parseSelect(text)).select, measures)
}

for (const [title, text] of byOneValue) {
  test(`too large where a sort by one value holds all of them: ${title}`, async () => {
    const ledger = await ledgerOf(text)
    assert.equal(faultOfLedger(ledger), undefined)
    assert.match(faultOfLedger(ledger, uncountedBytes(ledger, 1)) ?? '', /^The query could sort 2 GB by one value/)
  })
}

test('what an aggregate sorts internally is counted without the plan', async () => {
  const uncounted = async (columns: string) => uncountedBytes(await ledgerOf(`select ${columns} from ${manyRows}`), 0)
  assert.equal(await uncounted(`count(a) as n, max(${long}) as m, string_agg('', '' order by ${long}) as t`), 0)
  const ofOne = await uncounted(`count(distinct ${long}) as n`)
  assert.ok(ofOne > 500_000 * 900)
  assert.equal(await uncounted(`mode() within group (order by ${long}) as n`), ofOne)
  assert.equal(await uncounted(`percentile_disc(0.5) within group (order by ${long}) as n`), ofOne)
  assert.equal(await uncounted(`count(distinct ${long}) as n, max(distinct ${long}) as m`), 2 * ofOne)
})

for (const text of ordinary) {
  test(`fits with a sort by one value: ${text.replaceAll(/\s+/g, ' ').slice(0, 60)}`, async () => {
    const ledger = await ledgerOf(text)
    assert.equal(faultOfLedger(ledger, uncountedBytes(ledger, 1)), undefined)
  })
}

test('memory is shared among sorts, and the sum stays below the limit', async () => {
  const ledger = sizeOfQuery((await parseSelect(ordinary[2] ?? '')).select, measures)
  assert.ok(ledger.areas > 10)
  assert.ok(workMemoryKilobytes(ledger) * 1_024 * ledger.areas <= 33 * 2 ** 20)
  assert.ok(peakBytes(ledger) <= maxPeakBytes)
})

test('a query that could be small is not refused before its tables are known', async () => {
  const { select } = await parseSelect('select jsonb_agg(r) from check_results r, device_software s')
  assert.equal(faultOfLedger(minSizeOfQuery(select)), undefined)
  assert.match(faultOfLedger(sizeOfQuery(select, new Map())) ?? '', /could/)
})
