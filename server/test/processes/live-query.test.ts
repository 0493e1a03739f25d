import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../support/muster-process.ts'
import { openRunPlace } from '../support/run-place.ts'

const place = await openRunPlace({ after }, { MUSTER_RATE_LIMIT_PER_MINUTE: '100000' })
const answerLimitMs = 10_000

type Line = { device_id: string; device_name: string; error_message: string | null; results: Record<string, string>[] }

const linesOf = (out: string): Line[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('a live query is answered by the bundled agent and by simulated devices in seconds', async (t) => {
  const trial = await place.start(['start'])
  await trial.says(/answers the checks/)
  const { out } = await place.run([
    ...['keys', 'create', 'Live', '--permission', 'create_live_query', '--rationale', 'To try live queries.'],
  ])
  const ask = (method: string, path: string, body?: unknown) => trial.ask(method, path, { key: out.trim(), body })
  const machine = async () => (await ask('GET', '/devices')).body.data[0]?.id
  await until(15_000, async () => (await machine()) !== undefined, 200)
  const own = await machine()

  await t.test('the machine itself answers what was asked over the API', async () => {
    // After what a new device is asked first.
    await until(30_000, async () => {
      const { body } = await ask('GET', `/devices/${own}/check_results?per_page=100`)
      return body.data.length > 0 && body.data.every(({ ran_at }: { ran_at: string | null }) => ran_at !== null)
    })
    const sql = 'SELECT pid, name FROM processes ORDER BY CAST(pid AS INTEGER) LIMIT 2'
    const { status, body } = await ask('POST', '/live_query_campaigns', {
      ...{ name: 'Processes', sql, targeted_device_ids: [own] },
    })
    assert.equal(status, 200, JSON.stringify(body))
    const results = async () => (await ask('GET', `/live_query_campaigns/${body.id}/query_results`)).body.data
    const took = await until(answerLimitMs, async () => (await results()).length === 1)
    t.diagnostic(`the bundled agent answered after ${Math.round(took)} ms`)
    const [{ results: rows, result_count: count, error_message: error }] = await results()
    assert.deepEqual([count, error, Object.keys(rows[0])], ['2', null, ['pid', 'name']])
  })

  await t.test('the command line shows the answers of simulated devices as they come', async () => {
    const fleet = place.run(['simulate', '--devices', '20', '--duration', '30s'], {
      PORT: new URL(trial.origin).port,
    })
    await until(40_000, async () => (await ask('GET', '/devices?per_page=100')).body.data.length === 21, 300)
    const startedAt = performance.now()
    const asked = await place.run([
      ...['live-queries', 'create', 'Systems', '--all', '--wait', '30'],
      ...['--sql', 'SELECT hostname FROM system_info'],
    ])
    t.diagnostic(`21 devices answered after ${Math.round(performance.now() - startedAt)} ms`)
    assert.equal(asked.exit, 0)
    const lines = linesOf(asked.out)
    assert.equal(lines.length, 21, asked.err)
    assert.ok(lines.every(({ error_message, results }) => error_message === null && results.length === 1))
    const [, id = ''] = /^Live query (\d+)\n$/.exec(asked.err) ?? []
    const { body } = await ask('GET', `/live_query_campaigns/${id}`)
    assert.deepEqual(
      [body.waiting_devices_count, body.successful_devices_count, body.errored_devices_count],
      [0, 21, 0],
    )
    const again = await place.run(['live-queries', 'results', id])
    assert.deepEqual(linesOf(again.out), lines)
    assert.equal((await fleet).exit, 0)
  })

  await t.test('live queries are listed and deleted, and refused with the reason', async () => {
    const { out: listed } = await place.run(['live-queries', 'list'])
    assert.match(
      listed,
      /^ID +CREATED +WAITING +SUCCESSFUL +ERRORED +NAME\n1 .* 0 +1 +0 +Processes\n2 .* 0 +21 +0 +Systems\n$/,
    )
    const gone = await place.run(['live-queries', 'delete', '2'])
    assert.deepEqual([gone.exit, gone.out], [0, 'Deleted live query 2\n'])
    for (const command of ['results', 'delete']) {
      const missing = await place.run(['live-queries', command, '2'])
      assert.deepEqual([missing.exit, missing.err], [5, 'There is no live query 2\n'])
    }
    const create = (...args: string[]) => place.run(['live-queries', 'create', 'x', ...args])
    const refusals: [args: string[], words: RegExp][] = [
      [['--all', '--sql', 'SELECT * FROM curl'], /^sql reads "curl", which live queries may not read here\n$/],
      [['--all', '--sql', 'SELECT'], /^sql The SQL cannot be used: incomplete input\.\n$/],
      [['--sql', 'SELECT 1'], /^must name at least one target\n$/],
      [['--device', '999', '--sql', 'SELECT 1'], /^targeted_device_ids\/0 there is no such device\n$/],
      [['--all'], /^Give the SQL: /],
      [['--all', '--sql-file', '/nowhere'], /^Cannot read \/nowhere: ENOENT/],
      [['--all', '--sql', 'SELECT 1', '--wait', 'x'], /Give a whole number from 0 to 604800/],
    ]
    for (const [args, words] of refusals) {
      const refused = await create(...args)
      assert.equal(refused.exit, 2, args.join(' '))
      assert.match(refused.err, words)
    }
  })
  await t.test(
    'an answer of thousands of rows comes whole through the agent, the API and the command line',
    async () => {
      const counted = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)'
      const sql = `${counted} SELECT i AS number, "padding of a package " || i || printf("%0250d", i) AS text FROM n`
      const asked = await place.run(['live-queries', 'create', 'Many', '--device', own, '--wait', '60', '--sql', sql])
      const expected = Array.from({ length: 3_000 }, (_, index) => String(index + 1))
      const numbersOf = (rows: Record<string, string>[]) => rows.map(({ number }) => number)
      assert.deepEqual(numbersOf(linesOf(asked.out)[0]?.results ?? []), expected)
      const [, id = ''] = /^Live query (\d+)\n$/.exec(asked.err) ?? []
      const [result] = (await ask('GET', `/live_query_campaigns/${id}/query_results`)).body.data
      assert.deepEqual([result.result_count, result.kept_count], ['3000', '3000'])
      const { body } = await ask('GET', `${new URL(result.rows_url).pathname}?per_page=100`)
      assert.deepEqual(numbersOf(body.data.flatMap(({ results }: Line) => results)), expected)
    },
  )
  assert.equal(await trial.stop(), 0)
})
