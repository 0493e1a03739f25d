import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noCost } from '../sql/query-runner.ts'
import { readHardware } from './read-hardware.ts'

test('a machine without an identity is told from one where nothing answers', async () => {
  const rows = [{ uuid: 'u', hardware_serial: 's' }]
  assert.deepEqual(await readHardware(async () => ({ ok: true, rows, cost: noCost })), { uuid: 'u', serial: 's' })
  assert.deepEqual(await readHardware(async () => ({ ok: true, rows: [], cost: noCost })), { uuid: '', serial: '' })
  const failed = async () => ({ ok: false, message: 'spawn osqueryi ENOENT', cost: noCost }) as const
  await assert.rejects(readHardware(failed), /identity of this machine cannot be read: spawn osqueryi ENOENT/)
})
