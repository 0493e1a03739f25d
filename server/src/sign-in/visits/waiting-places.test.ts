import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingPlaces } from './waiting-places.ts'

function opened(sizes = { asserted: 12, others: 6 }) {
  const { take } = waitingPlaces(sizes)
  let sessions = 0
  /** Takes places for sign-ins of an organization until none is left. */
  const fill = (organizationId: string, isAsserted: boolean) => {
    const givingBack: (() => void)[] = []
    for (;;) {
      sessions += 1
      const giveBack = take({ id: `session ${sessions}`, organizationId, isAsserted })
      if (!giveBack) return givingBack
      givingBack.push(giveBack)
    }
  }
  return { take, fill }
}

test('one organization alone takes half of a pool, and there is always a place for another', () => {
  const { fill } = opened({ asserted: 1_500, others: 500 })
  assert.deepEqual(
    ['1', '2', '3'].map((id) => fill(id, true).length),
    [750, 375, 187],
  )
  assert.deepEqual(
    ['1', '2', '3'].map((id) => fill(id, false).length),
    [250, 125, 62],
  )
})

test('two organizations that take places in turn get a third of a pool each', () => {
  const { take } = opened()
  const counts = { '1': 0, '2': 0 }
  for (let turn = 0; turn < 12; turn += 1) {
    for (const organizationId of ['1', '2'] as const) {
      if (take({ id: `${organizationId} ${turn}`, organizationId, isAsserted: true })) counts[organizationId] += 1
    }
  }
  assert.deepEqual(counts, { '1': 4, '2': 4 })
})

test('what waits in one pool takes no place of the other', () => {
  const { fill } = opened()
  assert.equal(fill('1', false).length, 3)
  assert.equal(fill('1', true).length, 6)
})

test('the pages of a sign-in share a place, which is free once the last of them has gone', () => {
  const { take, fill } = opened({ asserted: 2, others: 2 })
  const sign = { id: 'shared', organizationId: '1', isAsserted: false }
  const [first, second] = [take(sign), take(sign)]
  assert.ok(first && second)
  assert.equal(fill('1', false).length, 0)
  // Signed for meanwhile, its other pages stay in the place that it has.
  const third = take({ ...sign, isAsserted: true })
  assert.ok(third)
  assert.equal(fill('1', true).length, 1)
  first()
  second()
  assert.equal(fill('1', false).length, 0)
  third()
  assert.equal(fill('1', false).length, 1)
})

test('places that were given back are there for everyone again', () => {
  const { fill } = opened()
  for (const giveBack of fill('1', true)) giveBack()
  assert.equal(fill('2', true).length, 6)
})
