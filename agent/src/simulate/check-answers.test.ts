import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveCheckAnswers } from './check-answers.ts'

const fixtures = {
  'linux-required-service': {
    pass: { systemd_units: [{ id: 'auditd.service', active_state: 'active' }] },
    fail: { systemd_units: [{ id: 'auditd.service', active_state: 'inactive' }] },
  },
  'macos-firewall': { pass: { alf: [{ global_state: 1 }] }, fail: { alf: [{ global_state: 0 }] } },
  'macos-firewall-stealth': { pass: { alf: [{ stealth_enabled: 1 }] }, fail: { alf: [{ stealth_enabled: 0 }] } },
  'ssh-keys-encrypted': {
    pass: { users: [{ uid: 1, username: 'a' }], user_ssh_keys: [{ uid: 1, path: '/k', encrypted: 1 }] },
    fail: { users: [{ uid: 1, username: 'a' }], user_ssh_keys: [{ uid: 1, path: '/k', encrypted: 0 }] },
  },
}

const serviceCheck = (unit: string) =>
  `SELECT w.unit, CASE WHEN s.active_state = 'active' THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
   FROM (SELECT '${unit}' AS unit) w LEFT JOIN systemd_units s ON s.id = w.unit`

test('of fixtures over one table, those are taken that let the check pass and fail', () => {
  const sql = `SELECT MAX(stealth_enabled) AS stealth,
    CASE WHEN MAX(stealth_enabled) = 1 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM alf`
  assert.deepEqual(deriveCheckAnswers(sql, 'darwin', fixtures, {}), {
    subject: 'macos-firewall-stealth',
    pass: [{ stealth: '1', KOLIDE_CHECK_STATUS: 'PASS' }],
    fail: [{ stealth: '0', KOLIDE_CHECK_STATUS: 'FAIL' }],
  })
})

test('a check whose option differs from the fixtures passes and fails all the same', () => {
  const answers = deriveCheckAnswers(serviceCheck('falcon.service'), 'linux', fixtures, {})
  assert.deepEqual(answers, {
    subject: 'linux-required-service',
    pass: [{ unit: 'falcon.service', KOLIDE_CHECK_STATUS: 'PASS' }],
    fail: [{ unit: 'falcon.service', KOLIDE_CHECK_STATUS: 'FAIL' }],
  })
})

test('a limit moved beyond the fixtures is met from either side', () => {
  const days = { uptimes: { pass: { uptime: [{ days: 1 }] }, fail: { uptime: [{ days: 90 }] } } }
  const sql = "SELECT CASE WHEN days < 365 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM uptime"
  const answers = deriveCheckAnswers(sql, 'darwin', days, {})
  assert.deepEqual(answers, {
    subject: 'uptimes',
    pass: [{ KOLIDE_CHECK_STATUS: 'PASS' }],
    fail: [{ KOLIDE_CHECK_STATUS: 'FAIL' }],
  })
})

test('a check that no fixture covers answers what the SQL gives on the usual tables', () => {
  const sql = "SELECT health, 'UNKNOWN' AS KOLIDE_CHECK_STATUS FROM battery"
  assert.deepEqual(deriveCheckAnswers(sql, 'darwin', fixtures, { battery: [{ health: 'Good' }] }), {
    either: { rows: [{ health: 'Good', KOLIDE_CHECK_STATUS: 'UNKNOWN' }], message: '' },
  })
})

test('a check with an error in its SQL answers the error', () => {
  const sql = "SELECT absent, 'PASS' AS KOLIDE_CHECK_STATUS FROM alf"
  assert.deepEqual(deriveCheckAnswers(sql, 'darwin', fixtures, {}), {
    either: { rows: [], message: 'no such column: absent' },
  })
})

test('fixtures of another platform come last', () => {
  const alike = {
    'windows-file': { pass: { file: [{ path: '/w' }] }, fail: {} },
    'linux-file': { pass: { file: [{ path: '/l' }] }, fail: {} },
  }
  const sql =
    "SELECT MAX(path) AS path, CASE COUNT(*) WHEN 0 THEN 'FAIL' ELSE 'PASS' END AS KOLIDE_CHECK_STATUS FROM file"
  const answers = deriveCheckAnswers(sql, 'linux', alike, {})
  assert.ok('pass' in answers)
  assert.deepEqual(answers.pass, [{ path: '/l', KOLIDE_CHECK_STATUS: 'PASS' }])
})
