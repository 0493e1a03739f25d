import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Laptop } from './laptop.ts'
import { kindOfLaptop, type Member, planSignIn } from './plan-sign-ins.ts'

const members: Member[] = Array.from({ length: 10 }, (_, index) => ({
  email: `${index}@example.com`,
  // Only its kind is looked at.
  laptop: { kind: kindOfLaptop(index) } as Laptop,
}))

const plans = (seed: number) => Array.from({ length: 1_000 }, (_, number) => planSignIn(members, seed, number))
const told = (seed: number) => plans(seed).map(({ email, laptop, intent }) => `${email} ${laptop.kind} ${intent}`)

test('everyone signs in once with their own laptop before anything else happens', () => {
  for (const [number, plan] of plans(1).slice(0, members.length).entries()) {
    assert.deepEqual(plan, { ...members[number], intent: 'sign_in' })
  }
})

test('the same seed gives the same sign-ins, another gives others', () => {
  assert.deepEqual(told(1), told(1))
  assert.notDeepEqual(told(1), told(2))
})

test('most get in, and every other end of a sign-in is there', () => {
  const later = plans(1).slice(members.length)
  const owners = new Map(members.map(({ email, laptop }) => [laptop, email]))
  const share = (fits: (plan: (typeof later)[number]) => boolean) => later.filter(fits).length / later.length
  assert.ok(share(({ laptop }) => laptop.kind === 'blocked') > 0.08)
  assert.ok(share(({ laptop }) => laptop.kind === 'warned') > 0.06)
  assert.ok(share(({ email, laptop }) => owners.get(laptop) !== email) > 0.03)
  assert.ok(share(({ intent }) => intent === 'without_agent') > 0.03)
  assert.ok(share(({ intent }) => intent === 'cancel') > 0.02)
  const isPlain = ({ email, laptop, intent }: (typeof later)[number]) =>
    intent === 'sign_in' && laptop.kind === 'good' && owners.get(laptop) === email
  assert.ok(share(isPlain) > 0.5)
})
