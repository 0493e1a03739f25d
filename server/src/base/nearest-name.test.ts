import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from './nearest-name.ts'

const names = ['MUSTER_DATA_DIR', 'MUSTER_BASE_URL', 'MUSTER_MASTER_KEY', 'MUSTER_METRICS_TOKEN']

test('the nearest name is found through missing, extra, wrong and swapped letters', () => {
  assert.equal(nearestName('MUSTER_DATADIR', names), 'MUSTER_DATA_DIR')
  assert.equal(nearestName('MUSTER_DATA_DIRR', names), 'MUSTER_DATA_DIR')
  assert.equal(nearestName('MUSTER_BASE_URI', names), 'MUSTER_BASE_URL')
  assert.equal(nearestName('MUSTER_MASTRE_KEY', names), 'MUSTER_MASTER_KEY')
})

test('a name unlike all others has no nearest one', () => {
  assert.equal(nearestName('HORSE', names), undefined)
  assert.equal(nearestName('MUSTER_CORRECT_HORSE_BATTERY', names), undefined)
})
