import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiQueryOf } from './api-query.ts'

test('a filter is said in the search of the API exactly, or not at all', () => {
  assert.equal(apiQueryOf({ platform: 'Mac,Linux' }), 'device_type:"Mac" OR device_type:"Linux"')
  assert.equal(apiQueryOf({ owner: 'none' }), 'registered_at:null')
  assert.equal(
    apiQueryOf({ platform: 'Windows,Mac', owner: 'registered', sort: 'name', per: '100' }),
    'device_type:"Windows" AND registered_at>"1970-01-01" OR device_type:"Mac" AND registered_at>"1970-01-01"',
  )
  for (const filters of [
    {},
    { q: 'ana' },
    { state: 'blocked' },
    { group: '7' },
    { companion: 'none' as const },
    { view: 'soon' as const },
  ]) {
    assert.equal(apiQueryOf({ ...filters, ...('q' in filters && { platform: 'Mac' }) }), undefined)
  }
})
