import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'

const origin = 'http://10.0.0.5:8080'
const app = testApp({ env: { MUSTER_BASE_URL: origin } })
const unsigned = { kind: 'second_step', mode: 'disabled' }
const payroll = { ...unsigned, name: 'Payroll', redirect_uris: ['https://payroll.example.com/callback'] }
const reason = 'People cannot sign in at http://10.0.0.5:8080: set an https address as MUSTER_BASE_URL.'

test('at an http address of the network no connection is added or enabled, and no policy file names it', async () => {
  const { email } = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.ask('POST', '/session/sign_in', { email, password }, { origin })).status, 200)
  const refused = async (method: string, path: string, body?: object) => {
    const answer = await browser.ask(method, path, body, { origin })
    assert.deepEqual([answer.status, answer.body.message], [422, reason], path)
  }
  await refused('POST', '/session/sign_in_connections', payroll)
  await refused('PATCH', '/session/sign_in_connections/1', { mode: 'enforce', refused_count: 0 })
  await refused('PATCH', '/session/sign_in_connections/1', { mode: 'observe' })
  await refused('GET', '/views/browser_policies/muster-chrome-edge.json')
})
