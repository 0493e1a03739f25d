import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awaitFound } from './await-found.ts'

const words = { missing: 'it is missing', found: 'it is there' }

test('what is missing is said once, and that it is there', async () => {
  const said: string[] = []
  const answers = [undefined, undefined, undefined, 'osquery']
  const found = await awaitFound({
    ...{ find: () => answers.shift(), log: (line: string) => said.push(line), ...words },
    ...{ signal: new AbortController().signal, secondMs: 0.01 },
  })
  assert.deepEqual([found, answers.length], ['osquery', 0])
  assert.deepEqual(said, ['it is missing', 'it is there'])
})

test('nothing is said where it is there at once, and the wait ends when the program is told to', async () => {
  const log = () => assert.fail('nothing to say')
  const { signal } = new AbortController()
  assert.equal(await awaitFound({ find: async () => 'osquery', log, signal, ...words }), 'osquery')
  const stopping = new AbortController()
  const waiting = { find: () => undefined, log: () => stopping.abort(), signal: stopping.signal, ...words }
  assert.equal(await awaitFound(waiting), undefined)
})
