import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkNameAt } from './link-name.ts'
import { judgeLink, secondsToNextCheckIn } from './link-rules.ts'

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
      confirmed_at: at(0),
      last_contact_at: at(contactBefore),
    }
    assert.equal(judgeLink(standing, at(now)), verdict, `${asked} ${contactBefore} ${now}`)
  }
})

test('a name of before that says no time is kept', () => {
  const standing = { link_name: 'A'.repeat(32), confirmed_at: at(0), last_contact_at: at(1) }
  assert.equal(judgeLink(standing, at(1)), 'keep')
})

test('a companion comes every 15 seconds while its link is new, and every five minutes after an hour without one', () => {
  const hour = 3_600_000
  const since = Date.parse('2026-11-20T10:00:00.000Z')
  const name = `${'A'.repeat(32)}-${since.toString(36)}`
  const at = (ms: number) => new Date(since + ms).toISOString()
  const linking = { isLinked: false, isBundled: false, isContested: false }
  const linked = { isLinked: true, isBundled: false, isContested: false }
  const contested = { ...linked, isContested: true }
  const bundled = { isLinked: true, isBundled: true, isContested: false }
  const cases = [
    [15, { link_name: null, enrolled_at: at(0) }, linking, hour - 1],
    [300, { link_name: null, enrolled_at: at(0) }, linking, hour],
    [15, { link_name: name, enrolled_at: at(-24 * hour) }, linking, hour - 1],
    [300, { link_name: name, enrolled_at: at(-24 * hour) }, linking, hour],
    [300, { link_name: null, enrolled_at: at(0) }, linked, 0],
    [300, { link_name: name, enrolled_at: at(-24 * hour) }, linked, 0],
    [300, { link_name: null, enrolled_at: at(0) }, bundled, 0],
    [15, { link_name: name, enrolled_at: at(-24 * hour) }, bundled, 0],
    [15, { link_name: name, enrolled_at: at(-24 * hour) }, contested, 0],
    [300, { link_name: name, enrolled_at: at(-24 * hour) }, contested, hour],
  ] as const
  for (const [seconds, key, standing, ms] of cases) {
    assert.equal(secondsToNextCheckIn(key, standing, at(ms)), seconds, JSON.stringify([key, standing, ms]))
  }
})
