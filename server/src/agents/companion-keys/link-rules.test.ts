import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkNameAt } from './link-name.ts'
import { judgeLink } from './link-rules.ts'

const at = (hours: number) => new Date(Date.parse('2026-11-20T10:00:00.000Z') + hours * 3_600_000).toISOString()

test('the name of a file is one that companions accept, and differs each time', () => {
  assert.match(linkNameAt(at(0)), /^[\w-]{16,64}$/)
  assert.notEqual(linkNameAt(at(0)), linkNameAt(at(0)))
})

test('a link is proved again each day, and ends when nobody confirms it for an hour', () => {
  const cases: [ReturnType<typeof judgeLink>, asked: number | null, contactBefore: number, now: number][] = [
    ['keep', null, 23.9, 23.9],
    ['ask', null, 23.9, 24],
    ['ask', null, 20, 100],
    ['keep', 24, 24.8, 24.9],
    ['end', 24, 24.9, 25],
    ['ask', 24, 24.1, 90],
  ]
  for (const [verdict, asked, contactBefore, now] of cases) {
    const standing = {
      link_name: asked === null ? null : linkNameAt(at(asked)),
      linked_at: at(0),
      last_contact_at: at(contactBefore),
    }
    assert.equal(judgeLink(standing, at(now)), verdict, `${asked} ${contactBefore} ${now}`)
  }
})

test('a name of before that says no time is kept', () => {
  const standing = { link_name: 'A'.repeat(32), linked_at: at(0), last_contact_at: at(1) }
  assert.equal(judgeLink(standing, at(1)), 'keep')
})
