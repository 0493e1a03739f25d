import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mentionedTables, runSql } from './run-sql.ts'

test('values come as strings and NULL as the empty string', () => {
  const users = [{ uid: 501, username: 'ana', directory: null }]
  assert.deepEqual(runSql('SELECT uid, username, directory, shell FROM users', 'darwin', { users }), {
    rows: [{ uid: '501', username: 'ana', directory: '', shell: '' }],
    message: '',
  })
})

test('a table of another platform does not exist', () => {
  assert.equal(runSql('SELECT * FROM deb_packages', 'darwin', {}).message, 'no such table: deb_packages')
  assert.equal(runSql('SELECT * FROM deb_packages', 'linux', {}).message, '')
  assert.equal(runSql('SELECT * FROM nonsense', 'linux', {}).message, 'no such table: nonsense')
})

test('only a query is run', () => {
  for (const sql of ["ATTACH '/tmp/x' AS y", 'CREATE TABLE t (x)', 'PRAGMA table_list', 'DELETE FROM users']) {
    assert.equal(runSql(sql, 'linux', {}).message, 'only SELECT is answered')
  }
  assert.deepEqual(runSql('WITH a(x) AS (VALUES (1)) SELECT x FROM a;', 'linux', {}).rows, [{ x: '1' }])
})

test('the functions of osquery are there', () => {
  const value = (expression: string) => runSql(`SELECT ${expression} AS value`, 'linux', {}).rows[0]?.['value']
  assert.equal(value("version_compare('141.0.1', '99.0')"), '1')
  assert.equal(value("version_compare(NULL, '99.0')"), '')
  assert.equal(value("split('a:b;c', ':;', 2)"), 'c')
  assert.equal(value("regex_match('v12.3', '([0-9]+)\\.', 1)"), '12')
  assert.equal(value("concat('a', NULL, 2)"), 'a2')
  assert.equal(value("concat_ws('-', 'a', NULL, 'b')"), 'a-b')
  assert.equal(value("in_cidr_block('10.0.0.0/8', '10.2.3.4')"), '1')
  assert.equal(value("sha1('x')"), '11f6ad8ec52a2984abaafd7c3b516503785c2072')
})

test('tables count as named when they stand outside literals and comments', () => {
  const sql = "SELECT 'apps' FROM users u -- alf\n JOIN /* plist */ user_ssh_keys USING (uid)"
  assert.deepEqual(mentionedTables(sql, 'darwin'), ['user_ssh_keys', 'users'])
})
