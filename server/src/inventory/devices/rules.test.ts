import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthStateDecision, authStateFor, compliancyOf, type StateOfIssue, withoutImprovement } from './rules.ts'

const now = '2026-11-20T10:00:00.000Z'
const before = '2026-11-20T09:59:59.999Z'
const soon = '2026-11-20T10:00:00.001Z'
const later = '2026-11-27T10:00:00.000Z'

const issue = (blocks_device_at: string | null, rest: Partial<StateOfIssue> = {}): StateOfIssue => ({
  exempted: false,
  is_shown: true,
  blocks_device_at,
  ...rest,
})
const good: AuthStateDecision = { auth_state: 'good', will_block_at: null }
const notified: AuthStateDecision = { auth_state: 'notified', will_block_at: null }
const blocked: AuthStateDecision = { auth_state: 'blocked', will_block_at: null }
const willBlock = (at: string): AuthStateDecision => ({ auth_state: 'will_block', will_block_at: at })

const states: [string, StateOfIssue[], AuthStateDecision][] = [
  ['no issue', [], good],
  ['an issue that only reports', [issue(null, { is_shown: false })], good],
  ['an issue that notifies', [issue(null)], notified],
  ['an issue that will block', [issue(later)], willBlock(later)],
  ['an issue that blocks in a millisecond', [issue(soon)], willBlock(soon)],
  ['an issue that blocks at this very moment', [issue(now)], blocked],
  ['an issue that blocks since a millisecond', [issue(before)], blocked],
  ['the earliest of several moments', [issue(later), issue(soon), issue(null)], willBlock(soon)],
  ['one that blocks among ones that will', [issue(later), issue(before), issue(soon)], blocked],
  ['one that notifies among ones that report', [issue(null, { is_shown: false }), issue(null)], notified],
  ['an exempted issue that would block', [issue(before, { exempted: true })], good],
  ['an exempted issue that would notify', [issue(null, { exempted: true })], good],
  ['an exempted one beside one that notifies', [issue(before, { exempted: true }), issue(null)], notified],
  ['an exempted one beside one that will block', [issue(soon, { exempted: true }), issue(later)], willBlock(later)],
]

for (const [what, issues, expected] of states) {
  test(`the state of a registered device with ${what} is ${expected.auth_state}`, () => {
    assert.deepEqual(authStateFor(issues, { isRegistered: true }, now), expected)
    assert.deepEqual(authStateFor(issues.toReversed(), { isRegistered: true }, now), expected)
    assert.deepEqual(authStateFor(issues, { isRegistered: false }, now), good)
  })
}

const held: [string, AuthStateDecision, AuthStateDecision, AuthStateDecision][] = [
  ['good becoming notified', good, notified, notified],
  ['good becoming blocked', good, blocked, blocked],
  ['notified becoming good', notified, good, notified],
  ['notified becoming will_block', notified, willBlock(later), willBlock(later)],
  ['blocked becoming good', blocked, good, blocked],
  ['blocked becoming will_block', blocked, willBlock(later), blocked],
  ['will_block becoming good', willBlock(later), good, willBlock(later)],
  ['will_block becoming good after its moment', willBlock(before), good, blocked],
  ['will_block becoming notified at its moment', willBlock(now), notified, blocked],
  ['will_block becoming blocked', willBlock(later), blocked, blocked],
  ['will_block moving later', willBlock(soon), willBlock(later), willBlock(soon)],
  ['will_block moving earlier', willBlock(later), willBlock(soon), willBlock(soon)],
]

for (const [what, was, becomes, expected] of held) {
  test(`while a registration is suspended, ${what} is ${expected.auth_state}`, () => {
    assert.deepEqual(withoutImprovement(was, becomes, now), expected)
    assert.deepEqual(withoutImprovement(expected, becomes, now), expected, 'again')
  })
}

test('only a blocked device is not compliant', () => {
  assert.deepEqual((['good', 'notified', 'will_block', 'blocked'] as const).map(compliancyOf), [
    'compliant',
    'compliant',
    'compliant',
    'not-compliant',
  ])
})
