import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaOf, areasOf, keyOf } from './areas.ts'

test('the area of an operation is the first word of its path, behind the rooms of the console', () => {
  const cases = [
    ['GET /devices', 'devices'],
    ['GET /devices/:deviceId/open_issues', 'devices'],
    ['GET /views/streams/:streamId', 'streams'],
    ['POST /views/checks/:checkId/configuration_preview', 'checks'],
    ['GET /session', 'session'],
    ['GET /session/api_keys/:id', 'api_keys'],
  ] as const
  for (const [address, area] of cases) assert.equal(areaOf(address), area)
})

test('equal questions have equal keys', () => {
  const key = keyOf('GET /views/devices', 'listDeviceViews', { query: { per_page: 50 } })
  assert.deepEqual(key, ['devices', 'listDeviceViews', { query: { per_page: 50 } }])
  const blank = { query: { per_page: 50, search: '', cursor: undefined } }
  assert.deepEqual(keyOf('GET /views/devices', 'listDeviceViews', blank), key)
  assert.deepEqual(keyOf('GET /devices/:id', 'getDevice', { params: { id: '7' } }), [
    'devices',
    'getDevice',
    { params: { id: '7' } },
  ])
  assert.deepEqual(keyOf('GET /views/summary', 'getConsoleSummary', { query: { search: '' } }), [
    'summary',
    'getConsoleSummary',
    {},
  ])
  // Zero and false are sent.
  assert.deepEqual(keyOf('GET /x', 'listDeviceViews', { query: { a: 0, b: false } })[2], { query: { a: 0, b: false } })
})

test('what changed is shown in its own area, or in those that are named', () => {
  assert.deepEqual(areasOf('account'), ['account'])
  assert.deepEqual(areasOf('streams'), ['streams', 'ssf_streams'])
  assert.ok(areasOf('devices').includes('issues'))
})
