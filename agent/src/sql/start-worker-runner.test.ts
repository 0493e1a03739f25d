import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { newAgentFacts } from '../protocol/agent-state.ts'
import { startWorkerRunner } from './start-worker-runner.ts'

const facts = newAgentFacts()

test('queries are answered one after another from a thread of their own', async () => {
  const runner = startWorkerRunner()
  const answers = await Promise.all([
    runner.run('SELECT 1 AS a', facts),
    runner.run('SELECT * FROM no_such_table', facts),
    runner.run('SELECT pid FROM osquery_info', facts),
  ])
  await runner.close()
  assert.deepEqual(
    answers.map((answer) => (answer.ok ? answer.rows : answer.message)),
    [[{ a: '1' }], 'no such table: no_such_table', [{ pid: String(process.pid) }]],
  )
})

test('a query that cannot be interrupted is stopped with its thread, and not run again', async () => {
  const runner = startWorkerRunner({ limitMs: 200, graceMs: 600 })
  const runaway = `SELECT regex_match('${'a'.repeat(60)}!', '^(a+)+$', 0) AS x`
  const first = await runner.run(runaway, facts)
  const again = await runner.run(runaway, facts)
  const other = await runner.run('SELECT 1 AS a', facts)
  await runner.close()
  assert.deepEqual(first.ok ? '' : first.message, 'query interrupted after 0.2 s')
  assert.deepEqual(again.ok ? '' : again.message, 'distributed query is denylisted')
  assert.deepEqual(other.ok ? other.rows : other.message, [{ a: '1' }])
})

test('a query that eats the memory of its thread is stopped, and the agent continues', async () => {
  const runner = startWorkerRunner({ limitMs: 10_000 })
  const many =
    'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20000) SELECT x, hex(zeroblob(50000)) AS big FROM c'
  const eater = await runner.run(many, facts)
  const other = await runner.run('SELECT 1 AS a', facts)
  await runner.close()
  assert.match(eater.ok ? '' : eater.message, /larger than 64 MiB|query stopped/)
  assert.ok(other.ok)
})

test('the thread ends when it has nothing to do and comes back with the next query', async () => {
  const runner = startWorkerRunner({ idleMs: 20 })
  const ended = once(process, 'worker').then(([worker]) => once(worker, 'exit'))
  // Neither the thread nor its timer keeps the process here until then.
  const stay = setInterval(() => {}, 1_000)
  assert.ok((await runner.run('SELECT 1 AS a', facts)).ok)
  await ended
  clearInterval(stay)
  assert.ok((await runner.run('SELECT 1 AS a', facts)).ok)
  await runner.close()
})
