import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arMember } from './ar-archive.ts'

test('a member has its header in columns, and ends on an even byte', () => {
  const first = arMember({ name: 'debian-binary', size: 4 }, 1_795_168_800, true)
  assert.equal(first.before.toString(), '!<arch>\ndebian-binary   1795168800  0     0     100644  4         `\n')
  assert.equal(first.after.toString(), '')
  const second = arMember({ name: 'control.tar.gz', size: 4711 }, 0, false)
  assert.equal(second.before.toString(), 'control.tar.gz  0           0     0     100644  4711      `\n')
  assert.deepEqual([second.before.length, second.after.toString()], [60, '\n'])
  assert.throws(() => arMember({ name: 'a name that is too long', size: 1 }, 0, false), /Not a name/)
})
