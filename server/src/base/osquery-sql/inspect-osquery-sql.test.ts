import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/support/processor-time.ts'
import { inspectOsquerySql } from './inspect-osquery-sql.ts'

const reads: readonly [sql: string, tables: readonly string[], columns: readonly string[] | undefined][] = [
  ['select pid from processes', ['processes'], ['pid']],
  ['SELECT Pid FROM Processes AS p;', ['processes'], ['pid']],
  ['select count(*) from curl', ['curl'], ['count(*)']],
  ['select 1 as one from curl', ['curl'], ['one']],
  ['select * from users', ['users'], undefined],
  ['select u.* , 1 from users u', ['users'], undefined],
  ['select * from (select uid, username as name from users)', ['users'], ['uid', 'name']],
  ['select * from (select * from users)', ['users'], undefined],
  ['select uid from (select * from users) where shell is not null', ['users'], ['uid']],
  ['values (1, 2), (3, 4)', [], ['column1', 'column2']],
  ["select 1, 1, 'a', 'a'", [], ['1', '1', "'a'", "'a'"]],
  // Sub-selects in every clause.
  ['select (select name from a), exists (select 1 from b) from c', ['a', 'b', 'c'], undefined],
  ['select x from a where y in (select y from b) and z = (select max(z) from c)', ['a', 'b', 'c'], ['x']],
  ['select x from a group by (select y from b) having count(*) > (select z from c)', ['a', 'b', 'c'], ['x']],
  [
    'select x from a order by (select y from b) limit (select 1 from c) offset (select 1 from d)',
    ['a', 'b', 'c', 'd'],
    ['x'],
  ],
  ['select case when x then (select 1 from b) else (select 2 from c) end as y from a', ['a', 'b', 'c'], ['y']],
  ['select x from a join b on a.id = (select id from c where c.n = b.n)', ['a', 'b', 'c'], ['x']],
  ['select x in curl from a', ['a', 'curl'], ['x in curl']],
  ['select x from a where (x, y) in (select x, y from b)', ['a', 'b'], ['x']],
  // Joins.
  ['select pid from a join b using (pid) left join c using (pid, uid)', ['a', 'b', 'c'], ['pid']],
  ['select 1 as n from a natural join b cross join c, d', ['a', 'b', 'c', 'd'], ['n']],
  ['select 1 as n from a full outer join b on a.x = b.x right join c on c.x = b.x', ['a', 'b', 'c'], ['n']],
  ['select p.pid, q.pid from processes p, processes q', ['processes'], ['pid', 'pid']],
  [
    'select name, u.uid from users u join processes p on u.uid = p.uid where p.path is null and p.name = 1',
    ['processes', 'users'],
    ['name', 'uid'],
  ],
  [
    'select a.n from a join b using (id) where b.n = 1 and exists (select n from c where c.id = a.id)',
    ['a', 'b', 'c'],
    ['n'],
  ],
  // The columns of osquery's tables are known; those of extensions and of other versions are found out.
  ['select oid from system_controls', ['system_controls'], ['oid']],
  ['select oid, pid from system_controls, processes', ['processes', 'system_controls'], ['oid', 'pid']],
  ['select x.uid, username, thing from users u join ext x using (uid)', ['ext', 'users'], ['uid', 'username', 'thing']],
  ['select u.brand_new, uid from users u', ['users'], ['brand_new', 'uid']],
  ['select type from users u join mounts m on u.directory = m.path', ['mounts', 'users'], ['type']],
  ['select state from SYSTEM_EXTENSIONS', ['system_extensions'], ['state']],
  // Common table expressions are no tables, wherever their name is one.
  ['with x as (select pid from a) select pid from x', ['a'], ['pid']],
  ['with processes as (select 1) select count(*) from processes', [], ['count(*)']],
  ['with x (m, n) as (select pid, uid from a) select m, n from x', ['a'], ['m', 'n']],
  [
    'with x as materialized (select 1 from a), y as not materialized (select 2 from b) select 1 as n from x, y',
    ['a', 'b'],
    ['n'],
  ],
  ['with recursive n(i) as (select 1 union all select i + 1 from n where i < 9) select i from n, a', ['a'], ['i']],
  ['select 1 as n from (with curl as (select 1 from a) select 1 from curl), curl', ['a', 'curl'], ['n']],
  ['with x as (with y as (select 1 as i from a) select i from y) select i from x', ['a'], ['i']],
  // Compounds.
  ['select x from a union select y from b union all select z from c', ['a', 'b', 'c'], ['x']],
  ['select x from a except select x from b intersect select x from c', ['a', 'b', 'c'], ['x']],
  ['select * from a where x = 1 union select * from b, c', ['a', 'b', 'c'], undefined],
  // Quoting, prefixes, comments.
  ['select "pid" from "Processes"', ['processes'], ['pid']],
  ['select pid from [curl]', ['curl'], ['pid']],
  ['select pid from `curl`', ['curl'], ['pid']],
  ["select pid from 'curl'", ['curl'], ['pid']],
  ['select pid from main.curl', ['curl'], ['pid']],
  ['select pid from TEMP."CURL"', ['curl'], ['pid']],
  ['select pid from main . /* a */ curl', ['curl'], ['pid']],
  ['-- select 1 from b\nselect pid /* from c */ from a -- ;', ['a'], ['pid']],
  ['select pid from curl /* open', ['curl'], ['pid']],
  ['/**/select/**/pid/**/from/**/curl', ['curl'], ['pid']],
  ['select 1 as n from "a ""b"""', ['a "b"'], ['n']],
  ['select 1 as n from "line\nbreak", ünï', ['line\nbreak', 'ünï'], ['n']],
  ['select pid from a;;  -- the end\n/* and after it */', ['a'], ['pid']],
  // What osquery's dialect has.
  ['select x from a where name = "text" and path like "/%"', ['a'], ['x']],
  ["select x from a where x glob '*a' and y regexp 'b' and z not like 'c' escape 'd' and x match 'e'", ['a'], ['x']],
  ["select json -> 'a' as one, json ->> '$.b' as two from a", ['a'], ['one', 'two']],
  [
    'select sum(x) filter (where y) over (partition by z order by i rows between 1 preceding and current row) as n from a',
    ['a'],
    ['n'],
  ],
  ['select row_number() over w as n from a window w as (order by x)', ['a'], ['n']],
  ['select stdev(x), median(y) over () from a', ['a'], ['stdev(x)', 'median(y) over ()']],
  [
    "select version_compare(a, b), version_compare(a, b, 'RHEL'), regex_match(a, b, 0), split(a, b, 1) as s from a where community_id_v1(1, 2, 3, 4, 5, 6) is 1",
    ['a'],
    undefined,
  ],
  ['select x from a not indexed where rowid = 1 and x collate nocase = 1 and x = y collate version', ['a'], ['x']],
  [
    'select cast(x as integer) as n from a where ((((x)))) between 1 and 2 and y isnull and z is not distinct from 1',
    ['a'],
    ['n'],
  ],
  ["select key, value from json_each('[]'), pragma_table_info('curl'), sqlite_master, a", ['a'], ['key', 'value']],
  ['select processes.pid as users from processes where users = 1 order by users', ['processes'], ['users']],
  ["select carve(path) as done from file where path = '/x'", ['carves', 'file'], ['done']],
  ['select "carve" (path) as done from file', ['carves', 'file'], ['done']],
  ['select carve from file', ['file'], ['carve']],
]

for (const [sql, tables, columns] of reads) {
  test(`the tables and columns are found in: ${sql}`, () => {
    const found = inspectOsquerySql(sql)
    assert.ok(found.kind === 'query', JSON.stringify(found))
    assert.deepEqual(found.tables, tables)
    if (columns !== undefined || /\*/.test(sql)) assert.deepEqual(found.columns, columns)
  })
}

const notOne = 'The SQL must be one SELECT statement; it may begin with WITH, or be VALUES.'
const no = (why: string) => `The SQL cannot be used: ${why}.`
const refusals: readonly [sql: string, message: string][] = [
  ['', 'The SQL is empty.'],
  [' ;-- nothing', notOne],
  ['/* nothing */', 'The SQL is empty.'],
  ['pragma table_info(users)', notOne],
  ["attach 'x' as y", notOne],
  ['insert into users values (1)', notOne],
  ['create table x (y)', notOne],
  ['create view x as select 1', notOne],
  ['explain select 1', notOne],
  ['explain query plan select 1', notOne],
  ['"select" 1', notOne],
  ['(select 1)', notOne],
  ['with x as (select 1) delete from users', no('near "delete": syntax error')],
  ['with x as (select 1) insert into users select * from x', no('near "insert": syntax error')],
  ['select 1; select 2', no('it holds more than one statement')],
  ['select 1; drop table x', no('it holds more than one statement')],
  ['select 1; /* x */ ; y', no('it holds more than one statement')],
  ['select 1;\u00a0', no('it holds more than one statement')],
  ['selec 1', notOne],
  ['select from users', no('near "from": syntax error')],
  ['select pid from', no('incomplete input')],
  ["select 'open", no('unrecognized token: "\'open"')],
  ['select "open', no('unrecognized token: ""open"')],
  ['select ? from users', no('it holds parameters such as ?')],
  ['select :x, @y, $z', no('it holds parameters such as ?')],
  ['select missing', no('no such column: missing')],
  ['select x.y from users u', no('no such column: x.y')],
  ['with c as (select uid from users) select gid from c', no('no such column: gid')],
  [
    'select name from users u join users v using (uid)',
    no('several tables could have the column name; write the table before it'),
  ],
  ['select 1 from other.users', no('no such table: other.users')],
  ['select 1 from sqlite_nothing', no('no such table: sqlite_nothing')],
  ['select 1 from users(1)', no("'users' is not a function")],
  ['select abs(1, 2)', no('wrong number of arguments to function abs()')],
  [
    'select 1 union select 1, 2',
    no('SELECTs to the left and right of UNION do not have the same number of result columns'),
  ],
  ['select 1 from "muster: statement"', no('view muster: statement is circularly defined')],
  ['select 1\0; drop', 'The SQL holds characters that are no text.'],
  ['select 1 from \ud800', 'The SQL holds characters that are no text.'],
  [`select ${'('.repeat(20_000)}1${')'.repeat(20_000)}`, no('it is nested too deeply')],
  [`select '${'x'.repeat(64_000)}'`, 'The SQL must not be longer than 64000 characters.'],
  [
    `select 1 from ${Array.from({ length: 60 }, (_, at) => `t${at}`).join(' union select 1 from ')}`,
    no('it reads more than 50 tables'),
  ],
]

for (const [sql, message] of refusals) {
  test(`refused with the reason: ${JSON.stringify(sql.slice(0, 80))}`, () => {
    assert.deepEqual(inspectOsquerySql(sql), { kind: 'refused', message })
  })
}

const doubling = (count: number) => {
  const steps = Array.from({ length: count }, (_, at) => `c${at + 1} as (select p.x from c${at} p, c${at} q)`)
  return `with c0 as (select x from a), ${steps.join(', ')} select x from c${count}`
}
const columnsOf = (count: number, name: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => name(at)).join()
const hostile: readonly [title: string, sql: string][] = [
  ['expressions that double 12 times', doubling(12)],
  ['expressions that double 1000 times', doubling(1000)],
  [
    'expressions of one name within another',
    'with c as (with c as (select 1 from c, c) select 1 from c, c) select 1 from c',
  ],
  ['sub-selects that double when merged', `select x from ${'(select x + x as x from '.repeat(500)}a${')'.repeat(500)}`],
  ['sub-selects within each other', `select * from ${'(select * from '.repeat(3000)}a${')'.repeat(3000)}`],
  ['scalar sub-selects within each other', `select ${'(select '.repeat(3000)}1${')'.repeat(3000)}`],
  ['twelve thousand comments', `select 1 ${'/* */'.repeat(12_000)}; x`],
  ['open comments', `select 1 ${'/*'.repeat(30_000)}`],
  ['open brackets', `select 1 from ${'['.repeat(30_000)}`],
  ['thousands of columns', `select ${columnsOf(8000, (at) => `c${at}`)} from a`],
  [
    'columns of 49 tables',
    `select ${columnsOf(900, (at) => `t${at % 49}.c${at % 100}`)} from ${columnsOf(49, (at) => `q${at} t${at}`)}`,
  ],
  ['many columns beside a large expression', `${doubling(10)} union select ${columnsOf(500, (at) => `d${at}`)} from b`],
  ['stars over stars', `select * from ${'(select *, * from '.repeat(500)}a${')'.repeat(500)}`],
  ['a thousand terms', `select 1 from a where ${'x = 1 or '.repeat(900)}y and (${'z = 1 and '.repeat(90)}1)`],
  ['sixty natural joins', `select 1 from ${Array.from({ length: 60 }, (_, at) => `a t${at}`).join(' natural join ')}`],
  ['five hundred selects', `select 1 from a${' union select 1 from a'.repeat(499)}`],
]

for (const [title, sql] of hostile) {
  test(`a hostile statement is answered within four seconds of processor time: ${title}`, async () => {
    const ms = await processorMs(() => inspectOsquerySql(sql))
    assert.ok(ms < 4_000, `${ms} ms`)
  })
}

test('random pieces of SQL are answered without an exception', () => {
  const pieces = [
    'select',
    'with',
    'x',
    'as',
    '(',
    ')',
    ',',
    '*',
    "'",
    '"',
    '[',
    ']',
    '`',
    '--',
    '/*',
    '*/',
    ';',
    '\n',
    'from',
    'union',
    '1',
    '.',
    '?',
  ]
  let seed = 1
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed
  }
  for (let round = 0; round < 2000; round += 1) {
    const sql = `select ${Array.from({ length: next() % 15 }, () => pieces[next() % pieces.length]).join(' ')}`
    const { kind } = inspectOsquerySql(sql)
    assert.ok(kind === 'query' || kind === 'refused', sql)
  }
})

test('thousands of statements leave no memory behind', () => {
  const inspect = (count: number) => {
    for (let at = 0; at < count; at += 1) inspectOsquerySql(`select a, b from t${at} where f(c)`)
  }
  inspect(500)
  const before = process.memoryUsage().rss
  inspect(3000)
  // A database that stays open holds some 60 kB: 3000 of them would be 180 MB.
  assert.ok(process.memoryUsage().rss - before < 60_000_000)
})

test('nothing is printed about SQLite in Node being experimental', (t) => {
  const emitted = t.mock.method(process, 'emitWarning')
  inspectOsquerySql('select 1')
  assert.equal(emitted.mock.callCount(), 0)
})
