import assert from 'node:assert/strict'
import { test } from 'node:test'
import { osqueryTables } from './osquery-tables.ts'
import { completionAt } from './sql-completion.ts'

const tables = [
  { name: 'users', column_names: ['uid', 'username', 'shell'] },
  { name: 'user_groups', column_names: ['uid', 'gid'] },
  { name: 'logged_in_users', column_names: ['user', 'tty'] },
  { name: 'disk_encryption', column_names: ['name', 'uuid', 'encrypted'] },
]

/** The bar stands for the caret. */
function suggested(text: string, options?: { isAsked: boolean }): string[] {
  const caret = text.indexOf('|')
  const { suggestions } = completionAt(text.replace('|', ''), caret, tables, options)
  return suggestions.map(({ name, of }) => `${name} ${of}`)
}

const cases: [written: string, expected: string[]][] = [
  ['select * from us|', ['users table', 'user_groups table', 'logged_in_users table']],
  ['select * from USER_|', ['user_groups table']],
  ['select * from users join dis|', ['disk_encryption table']],
  ['select * from users, dis|', ['disk_encryption table']],
  ['select us| from users', ['username users', 'users table', 'user_groups table', 'logged_in_users table']],
  ['select she| from users', ['shell users']],
  ['select u.| from users u', ['uid users', 'username users', 'shell users']],
  ['select u.s| from users AS u', ['shell users', 'username users']],
  ['select users.ui| from users', ['uid users']],
  ['select x.| from users', []],
  // Written already, or too little to go by.
  ['select * from users|', []],
  ['select u| from users', []],
  // The rest of the word follows.
  ['select us|er from users', []],
  // No name stands there.
  ["select * from users where shell = 'us|", []],
  ['select 1 -- us|', []],
  ['select /* us| */ 1', []],
  ['select {{ us| }}', []],
  ['select 12| from users', []],
  ['', []],
]
for (const [written, expected] of cases) {
  test(`names are completed in ${JSON.stringify(written)}`, () => {
    assert.deepEqual(suggested(written), expected)
  })
}

test('of the tables of osquery, those that are nearest to what is written come first', () => {
  for (const [written, first] of [
    ['process', 'processes'],
    ['user', 'users'],
    ['app', 'apps'],
    ['time_m', 'time_machine_backups'],
  ]) {
    const sql = `select * from ${written}`
    assert.equal(completionAt(sql, sql.length, osqueryTables).suggestions[0]?.name, first)
  }
})

test('asked for, all columns are offered without a letter', () => {
  assert.deepEqual(suggested('select | from users', { isAsked: true }).slice(0, 3), [
    'uid users',
    'username users',
    'shell users',
  ])
  assert.deepEqual(suggested('select * from |', { isAsked: true })[0], 'users table')
})

test('long and odd SQL takes little processor time', () => {
  const before = process.threadCpuUsage()
  for (const part of ['from a, ', '(', "'", '--', 'a as b ', '/*', '{{', 'us.', '\\']) {
    const sql = part.repeat(64_000 / part.length)
    completionAt(sql, sql.length, tables)
  }
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 3_000_000, `${user + system} µs`)
})
