import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installNumbers } from './payload-numbers.ts'

test('a payload counts its folders, its root, and blocks of 512 bytes', () => {
  assert.deepEqual(installNumbers([]), { numberOfFiles: 1, installKBytes: 0 })
  // One block for the file and one each for two folders: 1.5 KB.
  assert.deepEqual(installNumbers([{ path: 'opt/x/a', size: 1 }]), { numberOfFiles: 4, installKBytes: 2 })
  const files = [
    { path: 'opt/x/a', size: 512 },
    { path: 'opt/x/b', size: 513 },
    { path: 'opt/y', size: 0 },
  ]
  assert.deepEqual(installNumbers(files), { numberOfFiles: 6, installKBytes: 3 })
})

test('a path that is none, or stands there twice, is refused', () => {
  for (const path of ['', '/a', 'a/', 'a//b', './a', 'a/../b', 'a\nb', '\u00fc']) {
    assert.throws(() => installNumbers([{ path, size: 1 }]), /Not a path/, JSON.stringify(path))
  }
  const twice = ['a/b', 'a/b'].map((path) => ({ path, size: 1 }))
  assert.throws(() => installNumbers(twice), /Twice in a payload: a\/b/)
  const within = ['a', 'a/b'].map((path) => ({ path, size: 1 }))
  assert.throws(() => installNumbers(within), /Twice in a payload: a/)
})
