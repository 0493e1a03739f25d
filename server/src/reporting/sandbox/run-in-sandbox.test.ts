import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { tableNames } from '../queries/table-names.ts'
import { maxSqlBytes } from './parse-select.ts'
import { QueryRefused } from './query-refused.ts'
import { runInSandbox, type SandboxedQuery } from './run-in-sandbox.ts'

const database = testDatabase()
const make = makeIn(database)
let ours = ''
let theirs = ''

async function populate(mark: string): Promise<string> {
  const { id } = await make.organization({ name: `${mark} organization` })
  const person = await make.person(id, { name: `${mark} person`, email: `${mark}@example.com` })
  await make.personGroup(id, { name: `${mark} group`, personIds: [person.id] })
  const check = await make.check(id, { name: `${mark} check`, slug: `${mark}-check`, issue_title: `${mark} issue` })
  const device = await make.device(id, { name: `${mark} device`, registered_owner_id: person.id })
  await make.issue({ device, check })
  return id
}

before(async () => {
  await database.ready
  ours = await populate('Ourmark')
  theirs = await populate('Theirmark')
})

const run = async (text: string, more: Partial<SandboxedQuery> = {}) => {
  const report = await runInSandbox(database.connection, {
    organizationId: ours,
    sql: text,
    tables: tableNames,
    ...more,
  })
  assert.ok(report)
  return { ...report, rows: report.rows.map(({ content }) => JSON.parse(content)) }
}

const messageOf = async (text: string): Promise<string> => {
  try {
    const { rows } = await run(text)
    return `answered ${JSON.stringify(rows).slice(0, 200)}`
  } catch (error) {
    assert.ok(error instanceof QueryRefused, String(error))
    return error.message
  }
}

/** What a session has that nobody changed. */
async function sessionState() {
  const { rows } = await sql<{ role: string }>`
    select current_user as role, current_setting('search_path') as path, current_setting('work_mem') as memory,
      current_setting('transaction_read_only') as read_only, current_setting('statement_timeout') as timeout,
      coalesce(current_setting('muster.organization_id', true), '') as organization`.execute(database.db)
  return rows[0]
}

test('a query reads the tables of its organization, and the session is as before', async () => {
  const before = await sessionState()
  assert.deepEqual(
    await run(`with failing as (select device_id, count(*) as checks from check_results where status = 'failing' group by 1)
      select p.person_name, d.device_name, f.checks, d.registered_at, f.checks / 8.0 as share, d.will_block_at, f.device_id
      from failing f join reporting.person_registered_devices d using (device_id) join person_people p using (person_id)`),
    {
      columns: ['person_name', 'device_name', 'checks', 'registered_at', 'share', 'will_block_at', 'device_id'],
      rows: [
        {
          person_name: 'Ourmark person',
          device_name: 'Ourmark device',
          checks: 1,
          registered_at: '2026-11-20T10:00:00.000Z',
          share: 0.125,
          will_block_at: null,
          device_id: '1',
        },
      ],
      isTruncated: false,
    },
  )
  assert.deepEqual(await sessionState(), before)
})

test('no table shows another organization, and each shows its own', async () => {
  for (const table of tableNames) {
    const text = JSON.stringify((await run(`select * from ${table}`)).rows)
    assert.doesNotMatch(text, /Theirmark/, table)
    if (!table.startsWith('device_')) assert.match(text, /Ourmark/, table)
  }
  const { rows } = await run('select person_name from person_people', { organizationId: theirs })
  assert.deepEqual(rows, [{ person_name: 'Theirmark person' }])
})

const notAvailable = /is not available in reporting queries|There is no reporting table|There is no column/

const hostile: readonly [title: string, sql: string, answer: RegExp][] = [
  ['a file', `select pg_read_file('/etc/passwd')`, notAvailable],
  ['a file by another function', `select pg_read_binary_file('postgresql.conf')`, notAvailable],
  ['a folder', `select * from pg_ls_dir('.') as f`, notAvailable],
  ['a pause', 'select pg_sleep(5)', notAvailable],
  ['a pause in a condition', 'select 1 from check_results where pg_sleep(1) is null', notAvailable],
  ['a pause by a qualified name', 'select pg_catalog.pg_sleep(5)', notAvailable],
  ['a pause by a quoted name', 'select "pg_catalog"."pg_sleep"(5)', notAvailable],
  ['a pause in Unicode escapes', String.raw`select U&"\0070g_sleep"(5)`, notAvailable],
  ['a pause in other Unicode escapes', `select U&"!0070g_sleep" UESCAPE '!' (5)`, /syntax error|not available/],
  ['a pause by functional notation', 'select x.pg_sleep from unnest(array[5]) as x', notAvailable],
  ['functional notation on a value', 'select (5.0::float8).pg_sleep', notAvailable],
  ['a setting by functional notation', `select x.current_setting from unnest(array['search_path']) as x`, notAvailable],
  [
    'functional notation behind a decoy',
    `select x.current_setting from unnest(array['search_path']) as x, (select 1 as current_setting) as d`,
    notAvailable,
  ],
  [
    'functional notation behind a decoy of the same alias',
    `select x.current_setting from unnest(array['search_path']) as x, (select * from unnest(array[1]) as x(current_setting)) as d`,
    /Two functions in FROM have the alias/,
  ],
  [
    'functional notation on a subquery',
    `select s.current_setting from (select 'search_path'::text as a) as s`,
    /column s.current_setting does not exist/,
  ],
  [
    'functional notation on a WITH query',
    `with s as (select 'search_path'::text as a) select s.current_setting from s`,
    /column s.current_setting does not exist/,
  ],
  [
    'functional notation on VALUES',
    `select s.current_setting from (values ('search_path'::text)) as s`,
    /column s.current_setting does not exist/,
  ],
  [
    'functional notation on a join',
    `select j.current_setting from (unnest(array['search_path']) as x cross join (select 1 as one) as y) as j`,
    /column j.current_setting does not exist/,
  ],
  ['functional notation without an alias', `select unnest.pg_sleep from unnest(array[5])`, /needs an alias/],
  ['a setting', `select current_setting('muster.organization_id')`, notAvailable],
  ['another organization', `select set_config('muster.organization_id', '2', true)`, notAvailable],
  [
    'another organization in a subquery',
    `select * from (select set_config('muster.organization_id', '2', true)) as s, person_people`,
    notAvailable,
  ],
  ['the search path', `select set_config('search_path', 'public', false)`, notAvailable],
  ['the role', `select set_config('role', 'postgres', false)`, notAvailable],
  ['a change of the role', 'reset role', /must be a SELECT/],
  ['a change of a setting', `set local muster.organization_id = '2'`, /must be a SELECT/],
  ['showing a setting', 'show all', /must be a SELECT/],
  ['another database', `select * from dblink('dbname=postgres', 'select 1') as t(a int)`, /not available/],
  ['a large object', `select lo_import('/etc/passwd')`, notAvailable],
  ['a large object export', `select lo_export(1, '/tmp/x')`, notAvailable],
  ['COPY to a program', `copy (select 1) to program 'id'`, /must be a SELECT/],
  ['COPY to a file', `copy person_people to '/tmp/x'`, /must be a SELECT/],
  ['a DO block', `do $$ begin perform 1; end $$`, /must be a SELECT/],
  ['two statements', 'select 1; select 2', /single statement/],
  ['a second statement behind a comment', 'select 1 /* ; */ ; drop table people --', /single statement/],
  ['a transaction end', 'commit', /must be a SELECT/],
  ['a transaction end after a query', 'select 1; commit; set role postgres', /single statement/],
  ['a closing parenthesis', 'select 1) as x; select 2 from (select 1', /syntax error/],
  ['an end of the wrapping query', 'select 1) as a, pg_user as b, (select 1', /syntax error/],
  ['a comment that hides the rest', 'select 1 as one --', /^answered \[{"one":1}\]$/],
  ['an unfinished comment', 'select 1 /*', /unterminated|syntax error/],
  ['an INSERT', `insert into people (name) values ('x')`, /must be a SELECT/],
  ['an UPDATE', `update people set name = 'x'`, /must be a SELECT/],
  ['a DELETE', 'delete from people', /must be a SELECT/],
  ['a DELETE in WITH', 'with gone as (delete from people returning *) select * from gone', notAvailable],
  ['a DROP', 'drop table people', /must be a SELECT/],
  ['CREATE FUNCTION', `create function f() returns int language sql as 'select 1'`, /must be a SELECT/],
  ['SELECT INTO', 'select * into temp t from person_people', notAvailable],
  ['a lock', 'select * from person_people for update', notAvailable],
  ['LISTEN', 'listen x', /must be a SELECT/],
  ['NOTIFY by function', `select pg_notify('x', 'y')`, notAvailable],
  ['an advisory lock', 'select pg_advisory_lock(1)', notAvailable],
  ['a backend to end', 'select pg_terminate_backend(1)', notAvailable],
  ['a base table', 'select * from people', notAvailable],
  ['a base table by its schema', 'select * from public.people', notAvailable],
  ['the keys', 'select * from public.api_keys', notAvailable],
  ['the job queue', 'select * from pgboss.job', notAvailable],
  ['the catalog', 'select * from pg_class', notAvailable],
  ['the catalog by its schema', 'select * from pg_catalog.pg_roles', notAvailable],
  ['the catalog by a quoted name', 'select * from "pg_catalog"."pg_shadow"', notAvailable],
  ['the statements of others', 'select query from pg_stat_activity', notAvailable],
  ['the settings', 'select * from pg_settings', notAvailable],
  ['the information schema', 'select * from information_schema.tables', notAvailable],
  ['another database by name', 'select * from postgres.public.people', notAvailable],
  [
    'a WITH name out of its scope',
    'select (with pg_class as (select 1 as a) select a from pg_class), relname from pg_class',
    notAvailable,
  ],
  [
    'a WITH name before it is made',
    'with a as (select * from pg_roles), pg_roles as (select 1) select * from a',
    notAvailable,
  ],
  ['a cast to a table', `select 'pg_class'::regclass`, notAvailable],
  ['a cast to a function', `select 'pg_sleep'::regproc`, notAvailable],
  ['a cast to a role', `select 10::regrole`, notAvailable],
  ['a cast by a function', `select regclass('pg_class')`, notAvailable],
  ['a cast in a list', `select array['pg_class']::regclass[]`, notAvailable],
  ['a cast to a row', `select null::public.people`, notAvailable],
  ['a cast of %TYPE', 'select 1::people.id%type', /syntax error|not available/],
  ['an operator of another schema', 'select 1 operator(public.+) 2', notAvailable],
  ['an unknown operator', `select 'a' @@ 'b'`, notAvailable],
  ['an operator to sort by', 'select 1 as a order by a using operator(public.<)', /not available|syntax error/],
  ['a sequence', `select nextval('people_id_seq')`, notAvailable],
  ['a sequence read', `select currval('people_id_seq')`, notAvailable],
  ['a sequence as a table', 'select * from people_id_seq', notAvailable],
  ['a table as XML', `select table_to_xml('people', true, false, '')`, notAvailable],
  ['a query as XML', `select query_to_xml('select * from people', true, false, '')`, notAvailable],
  ['XML entities', `select xmlparse(document '<a>&x;</a>')`, notAvailable],
  ['an XML table', `select * from xmltable('/a' passing '<a/>' columns b text) as x`, notAvailable],
  ['an address bomb', `select '::'::inet + 1`, notAvailable],
  ['the user', 'select current_user, session_user', notAvailable],
  ['the version', 'select version()', notAvailable],
  ['a type of a value', 'select pg_typeof(1)', notAvailable],
  ['a parameter', 'select $1', notAvailable],
  ['a collation', `select 'a' collate "C"`, notAvailable],
  ['a sample', 'select * from person_people tablesample system (1)', notAvailable],
  ['a long text', `select repeat('x', 1000000000)`, notAvailable],
  ['a long text by format', `select format('%1000000000s', 'x')`, notAvailable],
  ['a long text by padding', `select lpad('x', 1000000000)`, /must be a number up to 1000/],
  ['a long text by a type', `select 'x'::char(10000000)`, /too long/],
  ['a large number', 'select 1e100000', /too large/],
  ['a power', 'select 9.9 ^ 99999', notAvailable],
  ['many rows', 'select * from generate_series(1, 1000000000) as g', /at most 1000 rows/],
  ['many rows by a computed end', 'select * from generate_series(1, 10 * 100000) as g', /at most 1000 rows/],
  ['many rows by a computed step', 'select * from generate_series(1, 900, 1 / 1000) as g', /at most 1000 rows/],
  [
    'many rows by many functions',
    'select 1 from generate_series(1, 9) a, generate_series(1, 9) b, generate_series(1, 9) c, generate_series(1, 9) d, generate_series(1, 9) e',
    /may call 4 functions/,
  ],
  [
    'many rows by a product',
    'select count(*) from generate_series(1, 999) a, generate_series(1, 999) b, generate_series(1, 999) c',
    /would read or combine too many rows/,
  ],
  [
    'many rows behind a limit',
    'select 1 from generate_series(1, 999) a, generate_series(1, 999) b, generate_series(1, 999) c where a.a * b.b * c.c = -1 limit 1',
    /would read or combine too many rows/,
  ],
  [
    'an endless recursion',
    'with recursive a as (select 1 as n union all select n + 1 from a) select * from a',
    notAvailable,
  ],
  [
    'WITH queries that double',
    'with a as not materialized (select 1 as x), b as not materialized (select a.* from a, a as c) select * from b',
    notAvailable,
  ],
  ['a regular expression that is computed', `select 1 from person_people where email ~ person_name`, /written out/],
  ['a regular expression that refers back', String.raw`select 'aaaa' ~ '(a+)\1'`, /refer back/],
  ['a regular expression that multiplies', `select 'aaaa' ~ '((a{1,200}){1,200})b'`, /multiply/],
  ['a regular expression in any', `select 'aaaa' ~ any(array['(a+)+b'])`, /written out/],
  ['a regular expression in a subquery', `select 'aaaa' ~ any(select 'a'::text)`, /written out/],
  [
    'a regular expression by function',
    `select regexp_replace('aaaa', person_name, '') from person_people`,
    /written out/,
  ],
  [
    'a regular expression by substring',
    `select substring(email from person_name) from person_people`,
    /substring needs/,
  ],
  ['a regular expression by SIMILAR', `select 'a' similar to '(a|b)*'`, notAvailable],
  ['deep sums', `select ${'1+'.repeat(3_000)}1`, /nested too deeply/],
  ['deep functions', `select ${'lower('.repeat(400)}'a'${')'.repeat(400)}`, /nested too deeply/],
  [
    'deep subqueries',
    `select * from ${'(select * from '.repeat(300)}person_people${') as s'.repeat(300)}`,
    /nested too deeply/,
  ],
  ['deep unions', `select 1 ${'union select 1 '.repeat(400)}`, /nested too deeply/],
  ['deep casts', `select 'a'${'::text'.repeat(500)}`, /nested too deeply/],
  [
    'many tables',
    `select 1 from ${Array.from({ length: 21 }, (_, i) => `person_people as p${i}`).join(', ')}`,
    /20 tables/,
  ],
  ['a long query', `select ${'1,'.repeat(maxSqlBytes)}1`, /too long/],
  ['nothing', ' \n', /empty/],
  ['a comment alone', '-- nothing', /empty/],
  ['a NUL', 'select \0', /not allowed/],
  ['half a character', `select '\ud800'`, /not allowed/],
  ['two columns of a name', 'select 1 as a, 2 as a', /Two columns are named "a"/],
  ['many columns', `select ${Array.from({ length: 101 }, (_, i) => `1 as c${i}`).join(', ')}`, /100 columns/],
  ['a column that is not there', 'select nothing from person_people', /column "nothing" does not exist/],
  ['a division by zero', 'select 1 / 0', /division by zero/],
  ['a text that is no number', `select 'x'::int`, /invalid input syntax/],
  ['types that do not fit', `select 1 from person_people where person_id = email`, /operator does not exist/],
]

test('more than sixty hostile queries are tried', () => assert.ok(hostile.length > 100, String(hostile.length)))

for (const [title, text, answer] of hostile) {
  test(`refused or harmless: ${title}`, async () => {
    assert.match(await messageOf(text), answer)
  })
}

test('after all of them the session is as before, and queries run', async () => {
  const state = await sessionState()
  assert.deepEqual(
    [state, (await run('select person_name from person_people')).rows],
    [await sessionState(), [{ person_name: 'Ourmark person' }]],
  )
  const { rows } = await sql<{
    read_only: string
  }>`select current_setting('transaction_read_only') as read_only`.execute(database.db)
  assert.equal(rows[0]?.read_only, 'off')
})

test('an error of the query never depends on rows of another organization', async () => {
  const oracle = (column: string, table: string) =>
    `select 1 as one from ${table} where 1 / (case when ${column} like 'Theirmark%' then 0 else 1 end) = 1`
  for (const [column, table] of [
    ['person_name', 'person_people'],
    ['device_name', 'check_results'],
    ['title', 'check_issues'],
    ['group_name', 'person_groups'],
    ['check_name', 'check_catalog'],
    ['email', 'person_registered_devices'],
  ] as const) {
    assert.deepEqual((await run(oracle(column, table))).rows, [{ one: 1 }], table)
    assert.match(await messageOf(oracle(column, table).replace('Theirmark', 'Ourmark')), /division by zero/, table)
  }
  assert.deepEqual(
    (await run(`select person_name from person_people where email::text like '%' and (email || 'x')::text <> ''`)).rows,
    [{ person_name: 'Ourmark person' }],
  )
})

test('a semicolon may end the query, and a comment may follow', async () => {
  for (const text of [
    'select 1 as one;',
    'select 1 as one ; ',
    'select 1 as one; -- done',
    '/* ü; */ select 1 as one;\n',
  ]) {
    assert.deepEqual((await run(text)).rows, [{ one: 1 }], text)
  }
})

test('what would fold or collect without bound is refused, and the next query runs', async () => {
  const fold = `select length(translate(replace(lpad('',900,'a'),'a',lpad('',1000,'b')), lpad('',1000,'x'), lpad('',1000,'y'))) as n`
  assert.match(await messageOf(fold), /^translate could compute for too long/)
  const collect = `select length(string_agg(w || '1', '')) as n
    from (select replace(lpad('', 1000, 'a'), 'a', lpad('', 1000, 'b')) as w, x from generate_series(1, 500) x) q`
  assert.match(await messageOf(collect), /^string_agg could collect \d+ (MB|GB), and a query may use 128 MB/)
  assert.deepEqual((await run('select 1 as one')).rows, [{ one: 1 }])
})

test('what an aggregate may collect is judged by what the tables hold', async () => {
  assert.deepEqual(
    (await run(`select string_agg(person_name, ', ') as names, jsonb_agg(p) is null as nothing from person_people p`))
      .rows,
    [{ names: 'Ourmark person', nothing: false }],
  )
  const wide = `(select lpad('', 1000, person_name) as n from person_people) as w`
  assert.deepEqual((await run(`select length(string_agg(n, '')) as n from ${wide}`)).rows, [{ n: 1_000 }])
  assert.match(
    await messageOf(
      `select length(string_agg(n, '')) as n from ${wide}, generate_series(1, 999) a, generate_series(1, 99) b`,
    ),
    /^string_agg could collect/,
  )
})

test('without an organization the tables are empty', async () => {
  assert.deepEqual((await run('select * from person_people', { organizationId: '' })).rows, [])
})

test('what the syntax tree would let through is stopped by the role', async () => {
  const refusals: unknown[] = []
  await run('select 1 as one', {
    mayRun: async (tx) => {
      await sql`savepoint before`.execute(tx)
      await sql`set local role muster_reports`.execute(tx)
      for (const text of [
        'select * from public.people',
        'select * from public.api_keys',
        'select * from pgboss.job',
        `select pg_read_file('PG_VERSION')`,
        `select lo_import('/etc/passwd')`,
        'create table public.x (a int)',
        `insert into public.organizations (name, created_at) values ('x', now())`,
      ]) {
        const error = await sql
          .raw(text)
          .execute(tx)
          .then(
            () => undefined,
            (refusal: unknown) => refusal,
          )
        refusals.push(error instanceof Error && 'code' in error ? error.code : `allowed: ${text}`)
        await sql`rollback to savepoint before`.execute(tx)
        await sql`set local role muster_reports`.execute(tx)
      }
      await sql`reset role`.execute(tx)
      return true
    },
  })
  assert.deepEqual(
    refusals,
    Array.from({ length: 7 }, () => '42501'),
  )
})

test('large rows are cut, many rows are counted up to the limit, and both are said', async () => {
  const wide = await run(`select string_agg(person_name || a.a, '') as names, jsonb_agg(a.a) as list, 7 as seven
    from person_people, generate_series(1, 999) as a, generate_series(1, 5) as b`)
  const [row] = wide.rows
  assert.match(row.names, /^Ourmark person.*…$/)
  assert.match(row.list, /^\[.*…$/)
  assert.equal(row.seven, 7)
  assert.ok(JSON.stringify(row).length <= 16_000)
  const many = await run('select a.a * 1000 + b.b as n from generate_series(1, 11) as a, generate_series(0, 999) as b')
  assert.deepEqual([many.rows.length, many.isTruncated], [10_000, true])
  const heavy = await run(`select rpad('x', 900, 'x') as a, rpad('y', 900, 'y') as b, a.a as n
    from generate_series(1, 9) as a, generate_series(0, 999) as b`)
  assert.equal(heavy.isTruncated, true)
  assert.ok(heavy.rows.length < 3_000 && heavy.rows.length > 2_000)
})

test('values keep their kind: numbers, identifiers, times, nothing, JSON', async () => {
  const { rows } =
    await run(`select 9007199254740993 as big, 5 as id, 5 as device_id, 0.1 as tenth, 1e20::float8 as far,
    'NaN'::float8 as nan, null as nothing, true as flag, '{"a":[1,{"b":null}]}'::jsonb as nested,
    '2026-01-02 03:04:05.6789+02'::timestamptz as moment, date '2026-01-02' as day, '' as blank`)
  assert.deepEqual(rows, [
    {
      big: '9007199254740993',
      id: '5',
      device_id: '5',
      tenth: 0.1,
      far: 100000000000000000000,
      nan: 'NaN',
      nothing: null,
      flag: true,
      nested: { a: [1, { b: null }] },
      moment: '2026-01-02T01:04:05.678Z',
      day: '2026-01-02',
      blank: '',
    },
  ])
})

testOnPostgres('a query that does not end is interrupted', async () => {
  // The planner takes each list for ten.
  const list = `(select unnest(string_to_array(joined, ',')) as x from numbers)`
  const text = `with numbers as (select string_agg(g.g::text, ',') as joined from generate_series(1, 999) as g)
    select count(*) from ${list} as a, ${list} as b, ${list} as c where a.x || b.x || c.x = md5(a.x)`
  assert.match(await messageOf(text), /took too long/)
  assert.equal(
    (await sessionState())?.role,
    (await sql<{ role: string }>`select session_user as role`.execute(database.db)).rows[0]?.role,
  )
})
