import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { needsRoot } from '../tables/needs-root.ts'
import { NotCollected } from '../tables/not-collected.ts'
import { type AgentFacts, type Constraint, columns, type Table } from '../tables/table.ts'
import { type Engine, openEngine } from './open-engine.ts'

const facts: AgentFacts = {
  instanceId: '',
  pid: 1,
  startedAtUnix: 0,
  configHash: '',
  configValid: false,
  flags: {},
  schedule: [],
}
let asked: Constraint[][] = []
let collections = 0

const file: Table = {
  name: 'file',
  columns: columns('path size:bigint'),
  pushed: { path: 'like' },
  constraintRequired: true,
  *collect(constraints) {
    asked.push(constraints)
    if (constraints.some((each) => String(each.value).startsWith('/private'))) throw new NotCollected('not for us')
    yield { path: '/home/ana/Desktop/Notes.txt', size: 5_000_000_000 }
    yield { path: '/home/bob/Desktop/Notes.txt', size: 7 }
  },
}
const people: Table = {
  name: 'people',
  columns: columns('uid:bigint name home share:double'),
  *collect() {
    collections += 1
    yield { uid: 1000, name: 'Ana', home: '/home/ana', share: 0.5 }
    yield { uid: '1001', name: 'Bob', home: '/home/bob', share: 1 }
    yield { uid: 9_007_199_254_740_993n, name: 'Cy', home: '' }
  },
}
const secret: Table = {
  name: 'secret',
  columns: columns('value'),
  notCollected: needsRoot,
  collect: () => [{ value: 'seen' }],
}
const endless: Table = {
  name: 'endless',
  columns: columns('n:integer'),
  *collect() {
    for (let n = 0; ; n += 1) yield { n }
  },
}
const tables = [file, people, secret, endless]

let asRoot: Engine
let asUser: Engine
before(async () => {
  asRoot = await openEngine(tables, 0)
  asUser = await openEngine(tables, 1000)
})

function rows(sql: string, engine = asRoot) {
  asked = []
  collections = 0
  const answer = engine.run(sql, facts, 2_000)
  assert.ok(answer.ok, answer.ok ? '' : answer.message)
  return answer.rows
}

function failure(sql: string, engine = asRoot, limitMs = 2_000): string {
  const answer = engine.run(sql, facts, limitMs)
  assert.ok(!answer.ok, 'the query must fail')
  return answer.message
}

test('every value is text and NULL is the empty text', () => {
  assert.deepEqual(rows('SELECT uid, name, share, NULL AS gap FROM people'), [
    { uid: '1000', name: 'Ana', share: '0.5', gap: '' },
    { uid: '1001', name: 'Bob', share: '1.0', gap: '' },
    { uid: '9007199254740993', name: 'Cy', share: '', gap: '' },
  ])
})

test('integers beyond 32 bits stay exact', () => {
  assert.deepEqual(rows("SELECT size, size + 1 AS more FROM file WHERE path LIKE '/home/%' AND size > 4294967296"), [
    { size: '5000000000', more: '5000000001' },
  ])
})

test('an equality on a path reaches the table', () => {
  assert.equal(rows("SELECT * FROM file WHERE path = '/home/ana/Desktop/Notes.txt'").length, 1)
  assert.deepEqual(asked, [[{ column: 'path', op: 'equal', value: '/home/ana/Desktop/Notes.txt' }]])
})

test('a pattern made of the columns of another table reaches the table, row by row', () => {
  const joins = [
    "SELECT p.name FROM people p CROSS JOIN file f ON f.path LIKE p.home || '/Desktop/%' WHERE p.home <> ''",
    "SELECT p.name FROM file f JOIN people p ON f.path LIKE p.home || '/Desktop/%' WHERE p.home <> ''",
    "WITH hit AS (SELECT p.name FROM people p, file f WHERE f.path LIKE p.home || '/Desktop/%' AND p.home <> '') SELECT hit.name FROM (SELECT 1) seed LEFT JOIN hit ON 1",
  ]
  for (const sql of joins) {
    assert.deepEqual(rows(sql), [{ name: 'Ana' }, { name: 'Bob' }], sql)
    assert.deepEqual(
      asked.map(([constraint]) => constraint?.value),
      ['/home/ana/Desktop/%', '/home/bob/Desktop/%'],
      sql,
    )
  }
})

test('each value of IN is asked for separately', () => {
  rows("SELECT * FROM file WHERE path IN ('/a', '/b')")
  assert.deepEqual(
    asked.map(([constraint]) => constraint?.value),
    ['/a', '/b'],
  )
})

test('a table that needs a condition says so instead of answering nothing', () => {
  assert.equal(failure('SELECT * FROM file'), 'table file needs a condition on path')
  assert.equal(failure('SELECT * FROM file WHERE size > 1'), 'table file needs a condition on path')
})

test('a lookup finds rows whatever the collation and the type of the literal', () => {
  assert.deepEqual(rows("SELECT name FROM people WHERE name = 'ana' COLLATE NOCASE"), [{ name: 'Ana' }])
  assert.deepEqual(rows("SELECT name FROM people WHERE name = 'ana'"), [])
  assert.deepEqual(rows("SELECT name FROM people WHERE uid = '1001'"), [{ name: 'Bob' }])
  assert.deepEqual(rows('SELECT name FROM people WHERE uid = 1001.0'), [{ name: 'Bob' }])
  assert.deepEqual(rows('SELECT name FROM people WHERE uid = NULL'), [])
})

test('a table is collected once for a query, however often it is named', () => {
  rows(
    'SELECT (SELECT COUNT(*) FROM people) AS a, (SELECT MAX(uid) FROM people) AS b, p.name FROM people p JOIN people q USING (uid)',
  )
  assert.equal(collections, 1)
})

test('text in double quotes is text where it names no column, as in osquery', () => {
  assert.deepEqual(rows('SELECT uid FROM people WHERE name = "Ana"'), [{ uid: '1000' }])
  assert.deepEqual(rows('SELECT name FROM people WHERE home != ""'), [{ name: 'Ana' }, { name: 'Bob' }])
  assert.deepEqual(rows('SELECT SPLIT(path, "/", 1) AS who FROM file WHERE path LIKE "/home/%"'), [
    { who: 'ana' },
    { who: 'bob' },
  ])
  assert.deepEqual(asked, [[{ column: 'path', op: 'like', value: '/home/%' }]])
  assert.deepEqual(rows('SELECT "name", "it""s" AS quote FROM people WHERE "uid" = 1000'), [
    { name: 'Ana', quote: 'it"s' },
  ])
  assert.deepEqual(rows('SELECT name FROM people WHERE name IN ("Ana", "Cy") ORDER BY "name" DESC'), [
    { name: 'Cy' },
    { name: 'Ana' },
  ])
})

test('a name that is none stays an error without quotes, with a table before it and in brackets', () => {
  assert.equal(failure('SELECT uid FROM people WHERE name = Ana'), 'no such column: Ana')
  assert.equal(failure('SELECT people."Ana" FROM people'), 'no such column: people.Ana')
  assert.equal(failure('SELECT [Ana] FROM people'), 'no such column: Ana')
  assert.equal(failure('SELECT 1 FROM "Ana"'), 'no such table: Ana')
})

test('an unknown table is an error that names it', () => {
  assert.equal(failure('SELECT * FROM no_such_thing'), 'no such table: no_such_thing')
})

test('naming a table that is not collected is refused, even where it would not be read', () => {
  const message = 'not collected: secret (the agent does not run as root)'
  assert.equal(failure('SELECT * FROM secret', asUser), message)
  assert.equal(failure('SELECT COUNT(*) FROM secret', asUser), message)
  assert.equal(failure('SELECT CASE WHEN 1 THEN 1 ELSE (SELECT value FROM secret) END AS x', asUser), message)
  assert.equal(failure('WITH s AS (SELECT value FROM secret) SELECT 1 FROM people LEFT JOIN s ON 0', asUser), message)
  assert.deepEqual(rows('SELECT * FROM secret', asRoot), [{ value: 'seen' }])
})

test('a name of its own does not make a query one on the table', () => {
  assert.deepEqual(rows("WITH secret AS (SELECT 'mine' AS value) SELECT value FROM secret", asUser), [
    { value: 'mine' },
  ])
})

test('a table that meets something unreadable while it collects is not collected', () => {
  assert.equal(failure("SELECT * FROM file WHERE path LIKE '/private/%'"), 'not collected: file (not for us)')
  assert.equal(failure("SELECT COUNT(*) = 0 FROM file WHERE path = '/private/x'"), 'not collected: file (not for us)')
})

test('a failed query leaves nothing behind for the next', () => {
  failure("SELECT * FROM file WHERE path = '/private/x'")
  assert.deepEqual(rows('SELECT 1 AS one'), [{ one: '1' }])
})

test('a query beyond its time is interrupted and says so', () => {
  const counting = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c'
  assert.equal(failure(counting, asRoot, 100), 'query interrupted after 0.1 s')
  assert.equal(failure('SELECT COUNT(*) FROM endless', asRoot, 100), 'query interrupted after 0.1 s')
})

test('only reading is allowed', () => {
  const forbidden = [
    'CREATE TABLE x (a)',
    'CREATE TEMP VIEW v AS SELECT 1',
    'INSERT INTO people VALUES (1)',
    'DELETE FROM people',
    "ATTACH '/tmp/x.db' AS x",
    'PRAGMA journal_mode = OFF',
    'PRAGMA temp_store_directory',
    'BEGIN',
  ]
  for (const sql of forbidden) assert.match(failure(sql), /not authorized|read-only|may not be modified/, sql)
})

test('the columns of a table can be looked up', () => {
  assert.deepEqual(
    rows('PRAGMA table_info(people)').map((row) => [row['name'], row['type']]),
    [
      ['uid', 'BIGINT'],
      ['name', 'TEXT'],
      ['home', 'TEXT'],
      ['share', 'DOUBLE'],
    ],
  )
})

test('a broken statement is an error', () => {
  assert.match(failure('SELEC 1'), /syntax error/)
})

test("osquery's functions answer as osquery", () => {
  const expected: [string, string][] = [
    ["version_compare('1.10', '1.9')", '1'],
    ["version_compare('140.0.0.0', '140.0.0.0')", '0'],
    ["version_compare(NULL, '1')", ''],
    ["regex_match('hello world.exe', '(\\w+) (\\w+)', 2)", 'world'],
    ["regex_match('abc', 'x', 0)", ''],
    ["regex_split('a1b22c', '[0-9]+', 2)", 'c'],
    ["split('/usr/local/bin', '/', 1)", 'local'],
    ["split('a', '/', 3)", ''],
    ["concat('a', NULL, 1)", 'a1'],
    ["concat_ws('-', 'a', NULL, 'b')", 'a-b'],
    ["inet_aton('1.2.3.4')", '16909060'],
    ["inet_aton('::1')", ''],
    ["in_cidr_block('10.0.0.0/8', '10.20.30.40')", '1'],
    ["in_cidr_block('10.0.0.0/8', '11.0.0.1')", '0'],
    ["in_cidr_block('fe80::/10', 'fe80::1')", '1'],
    ["md5('a')", '0cc175b9c0f1b6a831c399e269772661'],
    ["sha1('a')", '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
    ["sha256('a')", 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'],
    ["to_base64('añb')", 'YcOxYg=='],
    ["from_base64('YcOxYg==')", 'añb'],
    ['sqrt(16)', '4.0'],
    ['power(2, 10)', '1024.0'],
    ['ceil(1.2)', '2'],
    ['floor(1.8)', '1'],
  ]
  for (const [call, answer] of expected) assert.deepEqual(rows(`SELECT ${call} AS answer`), [{ answer }], call)
})

test('a function that fails makes the query fail with its reason', () => {
  assert.equal(failure("SELECT in_cidr_block('nonsense', '1.2.3.4')"), 'in_cidr_block: not a network: nonsense')
  assert.match(failure("SELECT regex_match('a', '(', 0)"), /^regex_match: Invalid regular expression/)
})
