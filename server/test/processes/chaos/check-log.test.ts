import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Arrival } from './arrival.ts'
import { checkLog, type LedgerEvent } from './check-log.ts'

const changes = ['7-1', '7-2', '8-1']
const event = (txn: string, members: Partial<LedgerEvent> = {}): LedgerEvent => ({
  ...{ jti: `jti-${txn}`, txn, digest: `digest-${txn}`, state: 'delivered' },
  ...members,
})
const arrival = (txn: string, members: Partial<Arrival> = {}): Arrival => ({
  ...{ jti: `jti-${txn}`, txn, digest: `digest-${txn}`, what: 'taken' },
  ...members,
})
const all = changes.map((txn) => event(txn))

const faultsOf = (arrivals: Arrival[], events = all, faults: string[] = []) =>
  checkLog({ id: '5', kind: 'push', arrivals, faults }, events, changes).faults

test('everything once, or again with the same bytes, is as it should be', () => {
  const arrivals = [
    arrival('8-1', { what: 'cut' }),
    arrival('7-1', { what: 'refused' }),
    arrival('7-1'),
    arrival('7-2', { what: 'rejected' }),
    arrival('8-1'),
    arrival('7-1'),
  ]
  const events = [event('7-1'), event('7-2', { state: 'rejected' }), event('8-1')]
  const log = { id: '5', kind: 'push', arrivals, faults: [] } as const
  assert.deepEqual(checkLog({ ...log, arrivals, faults: [] }, events, changes), {
    faults: [],
    counts: { events: 3, sends: 6, refused: 1, rejected: 1, afterCut: 1, afterAnswer: 1 },
  })
})

const whole = changes.map((txn) => arrival(txn))
const wrong: [what: string, faults: string[], said: string[]][] = [
  ['a change that the ledger lacks', faultsOf(whole.slice(0, 2), all.slice(0, 2)), ['8-1 is lost']],
  ['a change that never was', faultsOf([...whole, arrival('8-2')], [...all, event('8-2')]), ['8-2 is invented']],
  [
    'a change that is told twice',
    faultsOf([...whole, arrival('8-1', { jti: 'other' })], [...all, event('8-1', { jti: 'other' })]),
    ['8-1 is told 2 times', 'step 1 of device 8 arrived after 1'],
  ],
  ['what never arrived', faultsOf(whole.slice(0, 2)), ['8-1 is delivered, and arrived as: nothing']],
  [
    'what no receiver has accepted',
    faultsOf([...whole.slice(0, 2), arrival('8-1', { what: 'refused' }), arrival('8-1', { what: 'cut' })]),
    ['8-1 is delivered, and arrived as: refused, cut'],
  ],
  [
    'what no receiver has rejected',
    faultsOf(whole, [...all.slice(0, 2), event('8-1', { state: 'rejected' })]),
    ['8-1 is rejected, and arrived as: taken'],
  ],
  [
    'what is still pending',
    faultsOf(whole, [...all.slice(0, 2), event('8-1', { state: 'pending' })]),
    ['8-1 is pending, and arrived as: taken'],
  ],
  ['other bytes', faultsOf([...whole, arrival('8-1', { digest: 'other' })]), ['8-1 arrived in other bytes']],
  [
    'a token that the ledger does not know',
    faultsOf([...whole, arrival('9-1', { jti: 'stray' })]),
    ['stray is not in the ledger'],
  ],
  [
    'two steps of a device the wrong way round',
    faultsOf([arrival('7-2'), arrival('7-1'), arrival('8-1')]),
    ['step 2 of device 7 arrived after 0', 'step 1 of device 7 arrived after 2'],
  ],
  [
    'an answer in the log that was not given',
    faultsOf(
      whole.map((one) => ({ ...one, status: 202 })),
      all.map((one) => ({ ...one, answers: one.txn === '7-2' ? [null, 202, 202] : [null, 202] })),
    ),
    ['7-2 was answered 202 by nobody'],
  ],
  ['what was seen to be wrong while it happened', faultsOf(whole, all, ['it came back']), ['it came back']],
]

for (const [what, faults, said] of wrong) {
  test(`the checker of the chaos finds ${what}`, () => {
    assert.deepEqual(
      faults,
      said.map((fault) => `push 5: ${fault}`),
    )
  })
}
