import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeSignIn } from '../support/whole-sign-in.ts'

const whole = wholeSignIn()
const { agents, database, setUp, arrive, tokensOf } = whole

for (const [minutes, side] of [
  [-10, 'behind'],
  [10, 'ahead'],
] as const) {
  test(`a device whose clock is ten minutes ${side} signs its person in, and the log says so`, async () => {
    const all = await setUp()
    const { companion, prove } = all.laptop
    const iat = Math.floor(Date.parse(agents.now()) / 1_000) + minutes * 60
    const body = JSON.stringify({ agent_version: '1.0.0', port: null, taken_ports: [], wait_seconds: 0, epoch: null })
    const checkedIn = await companion.post('check_in', body, await companion.sign('check_in', body, { iat }))
    assert.deepEqual([checkedIn.status, checkedIn.body.status], [200, 'linked'])

    const visit = await arrive(all)
    const proved = await visit.prove(await prove(await visit.challenge(), { iat }))
    assert.deepEqual([proved.status, proved.state], [200, 'passed'])
    const { away = '' } = await visit.browser.follow((await visit.finishPath()) ?? '')
    const token = await tokensOf(all, new URL(away).searchParams.get('code') ?? '')
    assert.equal(token.status, 200, JSON.stringify(token.body))
    const steps = await database.db.selectFrom('auth_log_events').selectAll().execute()
    assert.match(JSON.stringify(steps), new RegExp(`its clock is 10 minutes ${side}`))
  })
}
