import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextAt } from '../../../test/support/make.ts'
import { recordingQueue, type Waiting } from './recording-queue.ts'

const from = (organizationId: string, deviceId: number, results = 1): Waiting<string> => ({
  recording: {
    organizationId,
    deviceId: String(deviceId),
    runs: Array.from({ length: results }, (_, check) => ({
      checkId: String(check),
      queryRevision: '1',
      ranAt: '2026-11-20T10:00:00.000Z',
      outcome: { kind: 'rows', rows: [] },
    })),
    context: contextAt(),
  },
  resolve: () => {},
  reject: () => {},
})

const queueOf = (...all: Waiting<string>[]) => {
  const queue = recordingQueue<string>()
  for (const one of all) assert.equal(queue.add(one), true)
  return queue
}
const many = (organizationId: string, count: number, results = 1) =>
  Array.from({ length: count }, (_, device) => from(organizationId, device + 1, results))
const namesOf = (batch: readonly Waiting<string>[] | undefined) =>
  batch?.map(({ recording }) => `${recording.organizationId}/${recording.deviceId}`)

test('organizations take turns, and a batch is of one of them', () => {
  const queue = queueOf(...many('1', 100), from('2', 1), from('3', 1))
  const turns = [queue.take(), queue.take(), queue.take(), queue.take()]
  assert.deepEqual(
    turns.map((batch) => [batch?.[0]?.recording.organizationId, batch?.length]),
    [
      ['1', 32],
      ['2', 1],
      ['3', 1],
      ['1', 32],
    ],
  )
})

test('an organization has two batches under way and no more', () => {
  const queue = queueOf(...many('1', 100))
  const first = queue.take()
  assert.ok(first && queue.take())
  assert.equal(queue.take(), undefined)
  queue.end(first)
  assert.equal(queue.take()?.length, 32)
})

test('a batch has each device once, and what comes from a device keeps its order', () => {
  const [early, late] = [from('1', 1), from('1', 1)]
  const queue = queueOf(early, late, from('1', 2))
  const first = queue.take()
  assert.deepEqual(namesOf(first), ['1/1', '1/2'])
  assert.equal(first?.[0], early)
  assert.equal(queue.take(), undefined, 'the device is still being recorded')
  queue.end(first ?? [])
  assert.equal(queue.take()?.[0], late)
})

test('a batch is bounded by its results, and a large recording goes alone', () => {
  const queue = queueOf(
    from('1', 1, 5_000),
    ...many('1', 3, 900).map(({ recording }) => from('1', Number(recording.deviceId) + 1, 900)),
  )
  assert.deepEqual(namesOf(queue.take()), ['1/1'])
  assert.deepEqual(namesOf(queue.take()), ['1/2', '1/3'])
})

test('what an organization floods in fills its own places only', () => {
  const queue = recordingQueue<string>()
  const taken = many('1', 3_000).filter((one) => queue.add(one))
  assert.equal(taken.length, 2_048)
  assert.equal(queue.size(), 2_048)
  assert.equal(queue.add(from('2', 1)), true)
})

test('all organizations together fill what there is', () => {
  const queue = recordingQueue<string>()
  const all = ['1', '2', '3', '4', '5'].flatMap((organization) => many(organization, 2_000))
  assert.equal(all.filter((one) => queue.add(one)).length, 8_192)
})
