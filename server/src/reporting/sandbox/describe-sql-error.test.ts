import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSqlError } from './describe-sql-error.ts'

const judge = (code: string, engine: 'postgres' | 'pglite') =>
  describeSqlError(Object.assign(new Error('x'), { code }), engine)?.isPassing

test('what the database failed by for the moment is told from what the query failed by', () => {
  for (const code of ['57014', '53100']) {
    assert.deepEqual([judge(code, 'postgres'), judge(code, 'pglite')], [true, true], code)
  }
  assert.deepEqual([judge('53200', 'postgres'), judge('53200', 'pglite')], [true, false])
  for (const code of ['53400', '54001', '42501', '42703', '22012', 'XX000']) {
    assert.deepEqual([judge(code, 'postgres'), judge(code, 'pglite')], [false, false], code)
  }
  for (const code of ['53300', '55P03', '08006']) assert.equal(judge(code, 'postgres'), undefined, code)
})
