import assert from 'node:assert/strict'
import { test } from 'node:test'
import { osqueryColumns } from '@muster/contract/osquery-schema.ts'
import { checkFixtures } from './check-fixtures.ts'
import { deviceProfile, usualWeights } from './device-profile.ts'
import { genericTables } from './generic-tables.ts'
import { fillTemplate } from './identity-template.ts'
import { createQueryAnswers } from './query-answers.ts'

const devices = Array.from({ length: 40 }, (_, index) => deviceProfile(1, index, usualWeights))
const answers = createQueryAnswers({}, 1_760_000_000)

function rowsOf(sql: string, index: number): Record<string, string>[] {
  const profile = devices[index]
  assert.ok(profile)
  const answer = answers.answerTo(sql, profile)
  assert.ok(answer.kind === 'fixed' && answer.messageJson === '""', sql)
  return JSON.parse(fillTemplate(answer.rows, profile))
}

test('every device answers with what it reported at its enrollment', () => {
  for (const [index, profile] of devices.entries()) {
    const sql = 'SELECT s.uuid, hostname, hardware_serial, hardware_model, version FROM system_info s, os_version'
    assert.deepEqual(rowsOf(sql, index), [
      {
        uuid: profile.uuid,
        hostname: profile.hostname,
        hardware_serial: profile.serial,
        hardware_model: profile.hardware.model,
        version: profile.operatingSystem.version,
      },
    ])
  }
})

test('a device knows tables and columns of osquery only', () => {
  const sets = Object.values(checkFixtures).flatMap(({ pass, fail }) => [pass, fail])
  const unknown = [...sets, ...devices.map((profile) => genericTables(profile, 0))].flatMap((tables) =>
    Object.entries(tables).flatMap(([table, rows]) =>
      rows.flatMap((row) =>
        Object.keys(row)
          .filter((column) => !osqueryColumns(table)?.has(column))
          .map((column) => `${table}.${column}`),
      ),
    ),
  )
  assert.deepEqual([...new Set(unknown)], [])
})

test('numbers compare as numbers', () => {
  assert.deepEqual(rowsOf('SELECT COUNT(*) AS n FROM os_version WHERE major BETWEEN 5 AND 100', 0), [{ n: '1' }])
  assert.deepEqual(rowsOf('SELECT physical_memory > 1024 AS enough FROM system_info', 0), [{ enough: '1' }])
})

test('the answer to a text is worked out once per kind of device', () => {
  const before = answers.size()
  const sql = 'SELECT username FROM users'
  for (const index of devices.keys()) rowsOf(sql, index)
  const kinds = new Set(devices.map((device) => `${device.platform} ${device.release} ${device.hardware.model}`)).size
  assert.equal(answers.size() - before, kinds)
})

test('many live queries do not fill the memory', () => {
  const profile = devices[0]
  assert.ok(profile)
  const few = createQueryAnswers({}, 0)
  for (let text = 0; text < 4100; text += 1) few.answerTo(`SELECT ${text}`, profile)
  assert.ok(few.size() <= 4000, `${few.size()}`)
})
