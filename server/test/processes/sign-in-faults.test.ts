import assert from 'node:assert/strict'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { answerOfProof } from '../support/answer-of-proof.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { freePort, until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { openOwnCluster } from './own-cluster.ts'
import { openSignInPlace } from './sign-in-place.ts'

const database = testDatabase()
const generous = { MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' }

testOnPostgres('two servers share sign-ins, and one goes on where the other ended', async (t) => {
  const [port, otherPort] = [String(await freePort()), String(await freePort())]
  const baseUrl = `http://localhost:${port}`
  const place = openPostgresPlace(t, { url: database.url, db: database.db }, { ...generous, MUSTER_BASE_URL: baseUrl })
  const first = await place.start(['serve'], { PORT: port })
  const second = await place.start(['serve', '--no-worker'], { PORT: otherPort })
  const all = await openSignInPlace(t, { place, server: first, baseUrl })

  await t.test('the page of one, the proof at the other, and the answer at either', async () => {
    const visit = await (await all.arrive()).begin()
    all.use(second)
    const challenge = (await visit.challenge()) ?? ''
    all.use(first)
    const { status } = await visit.post('proof', { proof: await visit.proofOf(challenge) })
    assert.equal(status, 200)
    all.use(second)
    assert.equal((await visit.post('proof', { proof: await visit.proofOf(challenge) })).status, 403)
    assert.equal((await visit.region()).state, 'passed')
    const away = await visit.finish()
    all.use(first)
    assert.equal((await all.tokenOf(away))['acr'], 'urn:muster:device:compliant')
  })

  await t.test('of one proof that reaches both at once, one counts', async () => {
    const visit = await (await all.arrive()).begin()
    const proof = await visit.proofOf((await visit.challenge()) ?? '')
    const posting = [first, second].flatMap((server) => {
      all.use(server)
      return Array.from({ length: 5 }, () => visit.post('proof', { proof }))
    })
    const statuses = (await Promise.all(posting)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, ...Array.from({ length: 9 }, () => 403)])
    all.use(first)
  })

  await t.test('a page at one hears of what came to the other', async () => {
    const visit = await (await all.arrive()).begin()
    all.use(second)
    const before = await visit.markAfter('')
    const held = visit.markAfter(before)
    all.use(first)
    assert.equal((await visit.prove()).state, 'passed')
    assert.notEqual(await held, before)
  })

  await t.test(
    '"Check again" at one runs at a companion that waits at the other, and the page hears the result',
    async () => {
      const rights = ['configure_checks', 'refresh_check'].flatMap((one) => ['--permission', one])
      const created = await all.run('keys', 'create', 'Checks', '--rationale', 'Has a check fail.', ...rights)
      const key = /^\s*(mk_\S+|\S{30,})\s*$/m.exec(created)?.[1] ?? ''
      const listed = async (path: string) => (await first.ask('GET', path, { key })).body.data as { id: string }[]
      /** Any notice to the device ends a wait, such as one of a job that ran late: then a companion waits again. */
      const untilAsked = async () => {
        for (let tries = 0; tries < 20; tries += 1) {
          const { queries } = (await all.companion.checkIn({ wait_seconds: 25 })).body
          if (queries.length > 0) return queries
        }
        return []
      }
      const [{ id: deviceId } = { id: '' }] = await listed('/devices')
      const [{ id: checkId } = { id: '' }] = await listed('/checks?query=slug:linux-firewall')
      const strategy = { remediation_strategy: 'block_immediately' }
      assert.equal((await first.ask('PATCH', `/checks/${checkId}/configurations`, { key, body: strategy })).status, 200)
      const answer = (status: string) => [{ KOLIDE_CHECK_STATUS: status }]
      const refresh = { key, body: { check_id: checkId } }
      assert.equal((await first.ask('POST', `/devices/${deviceId}/check_refreshes`, refresh)).status, 200)
      const visit = await (await all.arrive()).begin()
      await until(30_000, async () => {
        await all.client.answerAll(() => ({ rows: answer('FAIL') }))
        return (await visit.prove()).state === 'blocked'
      })
      // Runs are written down a moment after their results: until then the companion has something to run, and does not wait.
      await until(30_000, async () => {
        const left = await database.db.selectFrom('check_refreshes').select('check_id').execute()
        return left.length === 0
      })
      const held = untilAsked()
      all.use(second)
      const before = await visit.markAfter('')
      assert.equal((await visit.post('recheck')).status, 200)
      const queries = await held
      assert.equal(queries.length, 1)
      const pressed = await visit.markAfter(before)
      const news = visit.markAfter(pressed)
      assert.equal((await all.companion.results([{ name: queries[0]?.name, rows: answer('PASS') }])).status, 200)
      assert.notEqual(await news, pressed)
      await until(30_000, async () => (await visit.region()).state === 'passed')
      all.use(first)
    },
  )

  await t.test(
    'what ends a registration at one process closes the page at the other; fifty clicks register the next once',
    async () => {
      const rights = ['remove_devices', 'manage_user_requests'].flatMap((one) => ['--permission', one])
      const created = await all.run('keys', 'create', 'Help desk', '--rationale', 'Takes laptops back.', ...rights)
      const key = /^\s*(mk_\S+|\S{30,})\s*$/m.exec(created)?.[1] ?? ''
      const listed = async (path: string) => (await first.ask('GET', path, { key })).body.data as { id: string }[]
      const [{ id: deviceId } = { id: '' }] = await listed('/devices')
      const begun = async () => (await all.arrive()).begin()
      const visit = await begun()
      assert.equal((await visit.prove()).state, 'passed')
      const wayOn = await visit.finishPath()
      assert.equal((await second.ask('DELETE', `/devices/${deviceId}/registration`, { key })).status, 200)
      assert.equal((await visit.browser.follow(wayOn)).away, undefined)
      assert.equal((await visit.region()).state, 'ask_it')

      const shared = (await all.run('enrollment-secrets', 'create', 'Everyone')).trim().split(/\s+/).at(-1) ?? ''
      const next = await all.addMachine(shared, { uuid: '4C4C4544-0042-3510-8056-00000000A22A', serial: 'PF00A22A' })
      const visits: Awaited<ReturnType<typeof begun>>[] = []
      for (let count = 0; count < 5; count += 1) visits.push(await begun())
      for (const one of visits) assert.equal((await one.prove(next)).state, 'register')
      const clicks = [first, second].flatMap((server) => {
        all.use(server)
        return visits.flatMap((one) => Array.from({ length: 5 }, () => one.post('register')))
      })
      const statuses = (await Promise.all(clicks)).map(({ status }) => status)
      assert.deepEqual([...new Set(statuses)], [200])
      const told = database.db.selectFrom('events').select('id').where('type', '=', 'devices.registered')
      assert.equal((await told.execute()).length, 2, 'one by the enrollment of the first, one by the clicks')
      assert.deepEqual(await listed('/registration_requests'), [])
      all.use(first)

      await visit.post('register', { message: 'My first one is back.' })
      const [{ id: requestId } = { id: '' }] = await listed('/registration_requests')
      const decision = { key, body: { status: 'approved' } }
      assert.equal((await second.ask('PATCH', `/registration_requests/${requestId}`, decision)).status, 200)
      assert.equal((await visit.region()).state, 'passed')
      assert.match((await visit.finish()) ?? '', /code=/)
    },
  )

  await t.test('when the process of an open page is killed, its next look is answered by the other', async () => {
    all.use(second)
    const visit = await (await all.arrive()).begin()
    const mark = await visit.markAfter('')
    const held = visit.markAfter(mark)
    held.catch(() => {})
    await second.kill()
    await assert.rejects(held)
    all.use(first)
    assert.deepEqual(await visit.region(), { status: 200, state: 'looking' })
    assert.equal(await visit.markAfter(''), mark)
    assert.equal((await visit.prove()).state, 'passed')
    assert.match((await visit.finish()) ?? '', /code=/)
  })

  await t.test('a companion continues with the process that is left', async () => {
    const { body } = await all.companion.checkIn()
    assert.equal(body.status, 'linked')
  })
})

testOnPostgres('a sign-in outlives its database at each step', async (t) => {
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const { db, close } = await connectPostgres({ url: cluster.url })
  t.after(close)
  const port = String(await freePort())
  const baseUrl = `http://localhost:${port}`
  const place = openPostgresPlace(t, { url: cluster.url, db }, { ...generous, MUSTER_BASE_URL: baseUrl })
  const server = await place.start(['serve'], { PORT: port })
  const all = await openSignInPlace(t, { place, server, baseUrl })

  /** Takes the step while the database is gone, and again once it is back. */
  async function without<Answer>(step: () => Promise<Answer>, hears: (answer: Answer) => void): Promise<Answer> {
    await cluster?.stop()
    hears(await step())
    await cluster?.start()
    await until(30_000, async () => (await server.ask('GET', '/readyz')).status === 200)
    return step()
  }

  const unavailable = ({ status, text }: { status: number; text: string }) => {
    assert.equal(status, 503, text)
    assert.doesNotMatch(text, /ECONN|postgres|stack|\.ts:/i)
  }

  await t.test('a step that the database misses is refused, and works once it is back', async () => {
    const { browser, address, begin } = await all.arrive()
    await without(() => browser.go(address), unavailable)
    const visit = await (await all.arrive()).begin().catch(begin)
    const page = await without(() => visit.browser.go(visit.path), unavailable)
    assert.equal(page.status, 200)
    const region = await without(() => visit.browser.go(`${visit.path}/region`), unavailable)
    assert.match(region.text, /data-state="looking"/)
    const given = await without(() => visit.post('challenge'), unavailable)
    const { challenge } = JSON.parse(given.text) as { challenge: string }
    const proof = await visit.proofOf(challenge)
    const proved = await without(() => visit.post('proof', { proof }), unavailable)
    assert.deepEqual([proved.status, answerOfProof(proved.text)], [200, { state: 'passed' }])
    const path = await visit.finishPath()
    const { away } = await without(
      () => visit.browser.follow(path),
      ({ reply, away: early }) => {
        assert.equal(early, undefined)
        unavailable(reply)
      },
    )
    const { status, text } = await without(() => all.redeem(away), unavailable)
    assert.equal(status, 200, text)
    const logs = await db.selectFrom('auth_logs').select('result').execute()
    assert.equal(logs.filter(({ result }) => result === 'Success').length, 1)
    const told = await db.selectFrom('events').select('type').where('type', 'like', 'auth_logs.%').execute()
    assert.deepEqual(
      told.map(({ type }) => type),
      ['auth_logs.success'],
    )
  })

  await t.test('a person who meets it on the page reads what to do', async () => {
    const visit = await (await all.arrive()).begin()
    await cluster.stop()
    const { status, headers, text } = await visit.browser.go(visit.path, { headers: { accept: 'text/html' } })
    await cluster.start()
    assert.equal(status, 503)
    assert.match(headers['content-type'] ?? '', /^text\/html/)
    assert.match(text, /again/i)
  })
})
