import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRate } from './read-rate.ts'

const chunk = 64 * 1024

function openRate(t: { mock: { timers: { enable: (options: { apis: ['setInterval'] }) => void } } }) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let nowMs = 0
  const rate = readRate({ bytesPerSecond: 10 * chunk, burstBytes: 2 * chunk, tickMs: 100 }, () => nowMs)
  return {
    rate,
    pass(ms: number): void {
      nowMs += ms
    },
  }
}

test('a party is read no faster than its rate, each of its bodies in turn', (t) => {
  const { rate, pass } = openRate(t)
  const read = { one: 0, two: 0, other: 0 }
  const keepReading = (name: keyof typeof read, party: string) => (): void => {
    do read[name] += 1
    while (rate.spend(party, chunk, keepReading(name, party)))
  }
  keepReading('one', 'attacker')()
  keepReading('two', 'attacker')()
  assert.deepEqual(read, { one: 3, two: 1, other: 0 }, 'a burst, and then nothing')
  for (let tick = 0; tick < 100; tick += 1) {
    pass(100)
    t.mock.timers.tick(100)
  }
  const total = read.one + read.two
  assert.ok(total >= 95 && total <= 110, `${total} chunks in ten seconds at ten a second`)
  assert.ok(Math.abs(read.one - read.two) <= 4, `${read.one} and ${read.two}`)
  keepReading('other', 'someone else')()
  assert.equal(read.other, 3, 'another party has a rate of its own')
  rate.stop()
})

test('a party that has stopped is forgotten', (t) => {
  const { rate, pass } = openRate(t)
  assert.ok(rate.spend('one', 2 * chunk, assert.fail))
  pass(1_000)
  t.mock.timers.tick(100)
  assert.equal(rate.parties(), 0)
  assert.ok(rate.spend('one', 2 * chunk, assert.fail), 'and has its burst again')
  rate.stop()
})
