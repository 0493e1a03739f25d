import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesBetween, storableChanges } from './changes.ts'

test('only what differs is a change, and what is missing is null', () => {
  const before = { name: 'Old', groups: ['1', '2'], note: undefined, level: 3 }
  const after = { name: 'New', groups: ['1', '2'], note: 'Loaned', level: 3 }
  assert.deepEqual(changesBetween(before, after, ['name', 'groups', 'note', 'level']), [
    { field: 'name', from: 'Old', to: 'New' },
    { field: 'note', from: null, to: 'Loaned' },
  ])
})

test('texts are cut, at any depth, to what the database can hold', () => {
  const long = 'x'.repeat(2_001)
  const [change] = storableChanges([{ field: 'options', from: { list: [long, 'a\0b'] }, to: '\ud800' }])
  assert.deepEqual(change, { field: 'options', from: { list: [`${'x'.repeat(2_000)}…`, 'a\ufffdb'] }, to: '\ufffd' })
})
