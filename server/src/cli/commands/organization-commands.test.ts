import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { renameOrganizationCommand } from './organization-commands.ts'

const trial = testApp()
const now = '2026-11-20T10:00:00.000Z'
const run = commandsOn(trial, now)

beforeEach(() => trial.reset())

test('an organization is renamed, also by its number where there are several', async () => {
  const { out } = await run(renameOrganizationCommand, { name: ' Acme Ltd ' })
  assert.equal(out, `Organization ${trial.tenant.organizationId} is called Acme Ltd now\n`)
  const { data } = (await trial.ask('GET', '/audit_logs?per_page=1')).body
  assert.equal(data[0].description, 'Renamed the organization from "Acme" to "Acme Ltd".')
  const other = await trial.addTenant('Globex')
  await run(renameOrganizationCommand, { organization: other.organizationId, name: 'Globex SE' })
  assert.equal((await trial.ask('GET', '/whoami', { key: other.key })).body.organization_name, 'Globex SE')
  assert.equal((await trial.ask('GET', '/whoami')).body.organization_name, 'Acme Ltd')
  await assert.rejects(run(renameOrganizationCommand, { organization: other.organizationId, name: ' ' }), {
    code: 'invalid',
  })
})
