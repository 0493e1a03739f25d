import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { organizationCommands } from './organization-commands.ts'

const trial = testApp()
const now = '2026-11-20T10:00:00.000Z'
const run = commandsOn(trial, now)

beforeEach(() => trial.reset())

test('an organization is renamed, also by its number where there are several', async () => {
  const { out } = await run(organizationCommands.rename, { name: ' Acme Ltd ' })
  assert.equal(out, `Organization ${trial.tenant.organizationId} is called Acme Ltd now\n`)
  const { data } = (await trial.ask('GET', '/audit_logs?per_page=1')).body
  assert.equal(data[0].description, 'Renamed the organization from "Acme" to "Acme Ltd".')
  const other = await trial.addTenant('Globex')
  await run(organizationCommands.rename, { organization: other.organizationId, name: 'Globex SE' })
  assert.equal((await trial.ask('GET', '/whoami', { key: other.key })).body.organization_name, 'Globex SE')
  assert.equal((await trial.ask('GET', '/whoami')).body.organization_name, 'Acme Ltd')
  await assert.rejects(run(organizationCommands.rename, { organization: other.organizationId, name: ' ' }), {
    code: 'invalid',
  })
})

test('what an organization chooses is shown, set and taken back', async () => {
  const { out } = await run(organizationCommands.set, { setting: 'auth_logs_days', value: '120' })
  assert.equal(out, 'auth_logs_days is now 120 for Acme\n')
  assert.equal(
    (await run(organizationCommands.set, { setting: 'auth_logs_days', value: '120' })).out,
    'auth_logs_days is already 120 for Acme\n',
  )
  await run(organizationCommands.set, { setting: 'is_second_factor_required', value: 'true' })
  const lines = (await run(organizationCommands.settings, {})).out.split('\n').map((line) => line.split(/ {2,}/))
  assert.deepEqual(
    lines.filter(([name]) => name === 'auth_logs_days' || name === 'is_second_factor_required'),
    [
      ['auth_logs_days', '120', '400'],
      ['is_second_factor_required', 'true', 'false'],
    ],
  )
  await run(organizationCommands.set, { setting: 'auth_logs_days', value: 'usual' })
  const { data } = (await trial.ask('GET', '/audit_logs?per_page=1')).body
  assert.equal(data[0].description, 'Changed how long "Sign-in log" is kept from 120 to 400 days.')
  await assert.rejects(run(organizationCommands.set, { setting: 'auth_logs_days', value: '7' }), { code: 'invalid' })
  for (const [setting, value] of [
    ['auth_logs_days', 'true'],
    ['is_first_device_trusted', '7'],
  ] as const) {
    await assert.rejects(run(organizationCommands.set, { setting, value }), { exitCode: 2 })
  }
})
