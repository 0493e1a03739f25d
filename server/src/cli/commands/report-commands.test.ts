import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { reportCommands } from './report-commands.ts'

const trial = testApp()
const make = makeIn(trial.database)
const now = '2026-11-20T11:00:00.000Z'

const run = commandsOn(trial, now)

beforeEach(() => trial.reset())

const create = async (sql: string, name = 'People') =>
  (await run(reportCommands.create, { name, sql, everySeconds: 7_200 })).out.trim()

const audits = async (count: number) => {
  const { body } = await trial.ask('GET', `/audit_logs?per_page=${count}`)
  return body.data.map((entry: { actor_name: string; description: string }) => entry.description)
}

test('a report is made, run, shown in three forms, changed, listed and deleted', async () => {
  const { organizationId } = trial.tenant
  await make.person(organizationId, { name: 'Ada, "the first"', email: 'ada@acme.example' })
  await make.person(organizationId, { name: '=cmd()', email: 'bob@acme.example' })
  const id = await create('select person_id, person_name, 1.5 as share, null as nothing from person_people order by 1')
  await assert.rejects(run(reportCommands.show, { id, format: 'table' }), /no run succeeded yet/)
  assert.deepEqual(await run(reportCommands.run, { id }), { exit: 0, out: '2 rows\n', err: '' })

  assert.equal(
    (await run(reportCommands.show, { id, format: 'table' })).out,
    [
      'person_id  person_name       share  nothing',
      '1          Ada, "the first"  1.5    –',
      '2          =cmd()            1.5    –',
      '',
    ].join('\n'),
  )
  assert.equal(
    (await run(reportCommands.show, { id, format: 'csv' })).out,
    `person_id,person_name,share,nothing\n1,"Ada, ""the first""",1.5,\n2,'=cmd(),1.5,\n`,
  )
  assert.deepEqual(JSON.parse((await run(reportCommands.show, { id, format: 'json' })).out), [
    { person_id: '1', person_name: 'Ada, "the first"', share: 1.5, nothing: null },
    { person_id: '2', person_name: '=cmd()', share: 1.5, nothing: null },
  ])

  const listed = (await run(reportCommands.list, {})).out
  assert.match(listed, /^ID {2}NAME/)
  assert.match(listed, /\n1 {3}People {2}2026-11-20T11:00:00\.000Z {2}2026-11-20T13:00:00\.000Z {2}2 rows\n$/)

  await run(reportCommands.edit, { id, name: 'Crowd', sql: 'select 1 / 0 as n' })
  await assert.rejects(run(reportCommands.run, { id }), /The query failed: division by zero\./)
  assert.match((await run(reportCommands.list, {})).out, /The query failed: division by zero\./)
  await run(reportCommands.delete, { id })
  for (const command of [reportCommands.run, reportCommands.delete, reportCommands.edit]) {
    await assert.rejects(run(command, { id }), { code: 'not_found' })
  }
  assert.deepEqual(await audits(3), [
    'Deleted the reporting query "Crowd".',
    'Changed the reporting query "People": its name from "People" to "Crowd", its SQL.',
    'Created the reporting query "People".',
  ])
})

test('rows of more than a page are all printed, and an empty answer is valid', async () => {
  const many = await create('select n.n from generate_series(1, 250) as n order by 1')
  await run(reportCommands.run, { id: many })
  const rows = JSON.parse((await run(reportCommands.show, { id: many, format: 'json' })).out)
  assert.deepEqual(
    rows.map(({ n }: { n: number }) => n),
    Array.from({ length: 250 }, (_, at) => at + 1),
  )
  const none = await create('select person_name from person_people')
  await run(reportCommands.run, { id: none })
  const err = 'The query has no rows.\n'
  assert.deepEqual(await run(reportCommands.show, { id: none, format: 'json' }), { exit: 0, out: '[]\n', err })
  for (const format of ['table', 'csv'] as const) {
    assert.deepEqual(await run(reportCommands.show, { id: none, format }), { exit: 0, out: '', err })
  }
})

test('a report whose last run failed, or that had too many rows, says so beside its rows', async () => {
  const { id } = await make.reportingQuery(trial.tenant.organizationId, { rows: [{ a: 1 }] })
  await trial.db
    .updateTable('reporting_queries')
    .set({ is_truncated: true, error_message: 'The query failed: x.' })
    .where('id', '=', id)
    .execute()
  assert.deepEqual(await run(reportCommands.show, { id, format: 'csv' }), {
    exit: 0,
    out: 'a\n1\n',
    err: 'The last run failed: The query failed: x.\nThe query had more rows than are kept.\n',
  })
})

test('SQL is checked without being kept: its syntax, its names, and what it would cost', async () => {
  assert.deepEqual(await run(reportCommands.check, { sql: 'select count(*) from check_results' }), {
    exit: 0,
    out: 'The query may run.\n',
    err: '',
  })
  const refusals: [sql: string, message: RegExp][] = [
    ['select pg_sleep(1)', /The function "pg_sleep" is not available/],
    ['select nobody from person_people', /column "nobody" does not exist/],
    ['select from where', /syntax error/],
    ['select 1 from generate_series(1, 999) a, generate_series(1, 999) b, generate_series(1, 999) c', /too many rows/],
  ]
  for (const [sql, message] of refusals) await assert.rejects(run(reportCommands.check, { sql }), message)
  assert.equal((await trial.ask('GET', '/reporting/queries')).body.data.length, 0)
})
