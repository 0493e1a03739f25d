import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReportedRows, statusOfRows } from './external-run-rules.ts'

const pass = { KOLIDE_CHECK_STATUS: 'PASS' }
const status = {
  field: 'check_data/KOLIDE_CHECK_STATUS',
  message: 'must be one of FAIL, PASS, UNKNOWN, INAPPLICABLE, ERROR',
}
const shape = { field: 'check_data', message: 'must be an object or an array of objects, or JSON text of either' }

test('a row, rows and JSON text of either are read, with every value as text', () => {
  const sent = { vendor: 'Acme', enrolled: true, count: 1.5, none: null, tags: ['a', 1], KOLIDE_CHECK_STATUS: 'PASS' }
  const row = { vendor: 'Acme', enrolled: 'true', count: '1.5', none: '', tags: '["a",1]', KOLIDE_CHECK_STATUS: 'PASS' }
  const json = JSON.stringify(sent)
  assert.deepEqual(readReportedRows(sent, null), { ok: { rows: [row], json } })
  assert.deepEqual(readReportedRows([sent, pass], null), {
    ok: { rows: [row, pass], json: `[${json},{"KOLIDE_CHECK_STATUS":"PASS"}]` },
  })
  assert.deepEqual(readReportedRows(json, null), { ok: { rows: [row], json } })
  assert.deepEqual(readReportedRows(` [${json}]\n`, null), { ok: { rows: [row], json: `[${json}]` } })
})

test('whatever is no row is refused, and where it is', () => {
  const refused: [checkData: unknown, errors: object[]][] = [
    ['', [shape]],
    ['PASS', [shape]],
    ['null', [shape]],
    ['3', [shape]],
    ['[[]]', [shape]],
    [[pass, null], [shape]],
    [[], [{ field: 'check_data', message: 'must have at least one row' }]],
    [Array(501).fill(pass), [{ field: 'check_data', message: 'must not have more than 500 rows' }]],
    [{}, [status]],
    [{ KOLIDE_CHECK_STATUS: 'pass' }, [status]],
    [{ KOLIDE_CHECK_STATUS: null }, [status]],
    [[pass, { a: 1 }], [{ ...status, field: 'check_data/1/KOLIDE_CHECK_STATUS' }]],
    [
      '{"KOLIDE_CHECK_STATUS":"PASS","a":"\\u0000"}',
      [{ field: 'check_data', message: 'must not contain NUL or half a surrogate pair' }],
    ],
    [
      '[{"KOLIDE_CHECK_STATUS":"PASS","\\ud800":1}]',
      [{ field: 'check_data/0', message: 'must not contain NUL or half a surrogate pair' }],
    ],
  ]
  for (const [checkData, errors] of refused) {
    assert.deepEqual(readReportedRows(checkData, null), { errors }, JSON.stringify(checkData))
  }
})

test('the primary key of a check has to be in every row', () => {
  const rows = [{ ...pass, path: '/a' }, pass]
  assert.deepEqual(readReportedRows(rows, 'path'), {
    errors: [{ field: 'check_data/1/path', message: 'is required: it tells the issues of the check apart' }],
  })
  assert.ok('ok' in readReportedRows(rows.slice(0, 1), 'path'))
})

test('the status of the rows together goes by the worst that was decided', () => {
  const rowsOf = (...tokens: string[]) => tokens.map((token) => ({ KOLIDE_CHECK_STATUS: token }))
  const cases: [tokens: string[], together: string][] = [
    [['PASS'], 'PASS'],
    [['PASS', 'INAPPLICABLE'], 'PASS'],
    [['INAPPLICABLE'], 'INAPPLICABLE'],
    [['PASS', 'UNKNOWN'], 'UNKNOWN'],
    [['UNKNOWN', 'ERROR'], 'ERROR'],
    [['ERROR', 'FAIL', 'PASS'], 'FAIL'],
  ]
  for (const [tokens, together] of cases) assert.equal(statusOfRows(rowsOf(...tokens), null), together, tokens.join())
})
