import assert from 'node:assert/strict'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { AuthLog } from '@muster/contract/auth-logs.ts'
import { printedKey } from '../support/muster-process.ts'
import { openRunPlace } from '../support/run-place.ts'

const place = await openRunPlace({ after }, { MUSTER_RATE_LIMIT_PER_MINUTE: '100000' })

const countOf = (out: string, what: string): number =>
  Number(new RegExp(`^ +([\\d,]+)  ${what}$`, 'm').exec(out)?.[1] ?? 0)

test('one command signs people in to a trial, over the protocol that browsers and agents speak', async (t) => {
  const trial = await place.start(['start', '--no-agent'])
  const key = await printedKey(trial)
  const logs = async (): Promise<AuthLog[]> => (await trial.ask('GET', '/auth_logs?per_page=100', { key })).body.data
  const simulate = (...flags: string[]) =>
    place.run(['simulate', 'sign-ins', ...flags], { PORT: new URL(trial.origin).port })

  await t.test('laptops enroll and are registered on the page, and the report says who got in', async () => {
    const { exit, out, err } = await simulate('--count', '30', '--people', '15')
    assert.equal(exit, 0, out + err)
    assert.match(err, /^This is a simulation: nobody signs in/)
    assert.match(err, /15 laptops have enrolled and are linked/)
    assert.match(out, /^Simulated 30 sign-ins in /)
    assert.match(out, /failures: none/)
    assert.equal(countOf(out, 'got in, first device registered'), 12, 'every laptop but the three that are blocked')
    const all = await logs()
    assert.equal(all.length, 30)
    assert.ok(all.every(({ browser_user_agent: agent }) => agent.endsWith('(simulated)')))
    const inside = ['got in', 'got in, will be blocked', 'got in, first device registered']
    const succeeded = all.filter(({ result }) => result === 'Success')
    assert.equal(
      succeeded.length,
      inside.reduce((sum, what) => sum + countOf(out, what), 0),
    )
  })

  await t.test('blocked laptops, colleagues’ laptops and missing agents do not get in', async () => {
    const all = await logs()
    const of = (status: string) => all.filter(({ initial_status }) => initial_status === status)
    assert.ok(of('blocked').length > 0)
    assert.ok(of('blocked').every(({ result, issues_displayed: issues }) => result === 'Fail' && issues.length === 1))
    assert.ok(of('will_block').some(({ result }) => result === 'Success'))
    assert.ok(of('unknown').every(({ result }) => result === 'Fail'))
  })

  await t.test('a second run continues with the same people and laptops', async () => {
    const { exit, out, err } = await simulate('--count', '10', '--seed', '7')
    assert.equal(exit, 0, out + err)
    assert.equal(countOf(out, 'got in, first device registered'), 0)
    assert.equal((await trial.ask('GET', '/devices', { key })).body.data.length, 15)
    const { mode } = await stat(join(place.dataDir, 'simulated-sign-ins.json'))
    assert.equal(mode & 0o777, 0o600)
  })

  await t.test('an interrupted run ends with its report', async () => {
    const flags = ['--count', '1000', '--rate', '2']
    const run = await place.startCommand(['simulate', 'sign-ins', ...flags], /laptops have enrolled/, {
      PORT: new URL(trial.origin).port,
    })
    assert.equal(await run.stop('SIGINT'), 0)
    assert.match(run.output(), /Simulated \d+ sign-ins in /)
  })

  await t.test('a prepared file is for one use: it is not written over', async () => {
    const file = join(place.dataDir, 'prepared.json')
    assert.equal((await simulate('--prepare', '--people', '2', '--file', file)).exit, 0)
    const again = await simulate('--prepare', '--file', file)
    assert.equal(again.exit, 2)
    assert.match(again.err, /is there already/)
  })

  await t.test(
    'a file that is not JSON is named, and so are the organizations of which one has to be named',
    async () => {
      const file = join(place.dataDir, 'cut-off.json')
      await writeFile(file, '{"setup":')
      const cut = `${file} is not JSON: give another --file, or delete it to make it again\n`
      assert.deepEqual(await simulate('--file', file), { exit: 2, out: '', err: cut })
      await rm(file)
      assert.equal((await place.run(['organizations', 'create', 'Second'])).exit, 0)
      const which = 'Say which organization with --organization: 1 (My organization), 2 (Second)\n'
      assert.deepEqual(await simulate('--file', file), { exit: 2, out: '', err: which })
      const unknown = await simulate('--file', file, '--organization', 'Third')
      assert.deepEqual([unknown.exit, unknown.out, unknown.err.trim().split('\n').length], [5, '', 1], unknown.err)
      const unready = await simulate('--file', file, '--organization', 'Second')
      assert.deepEqual([unready.exit, unready.out, unready.err.trim().split('\n').length], [1, '', 1], unready.err)
      assert.equal((await simulate('--file', file, '--prepare', '--organization', 'My organization')).exit, 0)
    },
  )

  await t.test('without a server the command says what to start', async () => {
    await trial.stop()
    const { exit, err } = await simulate('--count', '1')
    assert.equal(exit, 1)
    assert.match(err, /Start the server, or delete .*simulated-sign-ins\.json/)
  })
})
