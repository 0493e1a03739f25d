import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { decodeAnswer, encodeStatement } from '../wire.ts'
import { checkpointer, maintainOneTable } from './maintenance.ts'

test('dead rows and stale statistics are attended to until nothing is left', async () => {
  const engine = await PGlite.create()
  const execute = (sql: string) => {
    const answer = decodeAnswer(engine.execProtocolRawSync(encodeStatement(sql, [])))
    assert.equal(answer.error, undefined)
    return answer
  }
  execute('create table "Busy" (id int, note text); insert into "Busy" select g, g from generate_series(1, 5000) g')
  execute('create table "quiet" (id int); insert into quiet values (1)')
  execute(`update "Busy" set note = 'x'`)
  // The session reports what it did once a second at most.
  execute('select pg_stat_force_next_flush()')
  const commands: string[] = []
  for (let command = maintainOneTable(execute); command; command = maintainOneTable(execute)) {
    commands.push(command)
    assert.ok(commands.length < 200, 'upkeep comes to an end')
  }
  assert.ok(commands.includes('vacuum (analyze) public."Busy"'), `did ${commands.join()}`)
  assert.ok(!commands.some((command) => command.includes('quiet')))
  const { results } = execute(`select n_dead_tup from pg_stat_all_tables where relname = 'Busy'`)
  assert.deepEqual(results[0]?.rows, [{ n_dead_tup: '0' }])
  await engine.close()
})

test('a checkpoint is made after every 64 MB written, and not before', () => {
  const commands: string[] = []
  let written = 5_000_000
  const { afterStatement } = checkpointer(
    () => written,
    (sql) => commands.push(sql),
  )
  written += 60 * 2 ** 20
  afterStatement()
  assert.deepEqual(commands, [])
  written += 4 * 2 ** 20
  afterStatement()
  afterStatement()
  assert.deepEqual(commands, ['checkpoint'])
})
