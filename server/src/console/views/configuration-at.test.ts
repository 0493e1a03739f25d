import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { deleteDeviceGroup } from '../../administration/groups/delete-device-group.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'

const app = testApp()
const make = makeIn(app)
let browser: ReturnType<typeof openBrowser>
beforeEach(async () => {
  await app.reset()
  browser = openBrowser(app)
  assert.equal((await browser.signIn((await addAdmin(app)).email)).status, 200)
})

const context = () => systemChange(app.tenant.organizationId, app.now())
const configure = (checkId: string, request: CheckConfigurationRequest) =>
  transact(app.db, (tx) => updateConfiguration(tx, { checkId, request }, context()))
const entriesOf = async (checkId: string): Promise<string[]> => {
  const { body } = await browser.ask('GET', `/views/audit_logs?subject=check:${checkId}&action=check.configured`)
  return body.data.map(({ id }: { id: string }) => id)
}
const at = (checkId: string, entryId: string) =>
  browser.ask('GET', `/views/checks/${checkId}/configuration_at/${entryId}`)

test('a configuration is shown as it was after each of its entries', async () => {
  const options = { level: { kind: 'integer', title: 'Level', description: 'A number.', default: 3, min: 0, max: 9 } }
  const check = await make.check(app.tenant.organizationId, { option_definitions: JSON.stringify(options) })
  const group = await make.deviceGroup(app.tenant.organizationId)
  const begins = '2027-01-01T00:00:00.000Z'
  await configure(check.id, { block_auth_grace_period_days: 5, snooze_disallowed: true })
  await configure(check.id, { options: { level: 7 }, excluded_groups: [group.id, 'macos'], paused: true })
  const change = { checkId: check.id, request: {}, beginsBlockingOn: begins }
  await transact(app.db, (tx) => updateConfiguration(tx, change, context()))
  await configure(check.id, { options: {}, excluded_groups: [], paused: false, block_auth_grace_period_days: 9 })
  const [fourth = '', third = '', second = '', first = ''] = await entriesOf(check.id)

  const seen = async (entryId: string) => {
    const { status, body } = await at(check.id, entryId)
    assert.equal(status, 200, JSON.stringify(body))
    const {
      paused,
      options: chosen,
      excluded_groups,
      block_auth_grace_period_days,
      begins_blocking_on,
    } = body.configuration
    return [paused, JSON.parse(chosen), excluded_groups, block_auth_grace_period_days, begins_blocking_on]
  }
  assert.deepEqual(await seen(first), [false, { level: 3 }, [], 5, null])
  assert.deepEqual(await seen(second), [true, { level: 7 }, [group.id, 'macos'], 5, null])
  assert.deepEqual(await seen(third), [true, { level: 7 }, [group.id, 'macos'], 5, begins])
  assert.deepEqual(await seen(fourth), [false, { level: 3 }, [], 9, begins])

  await transact(app.db, (tx) => deleteDeviceGroup(tx, { groupId: group.id }, context()))
  const { body } = await at(check.id, second)
  assert.deepEqual([body.configuration.excluded_groups, body.deleted_groups], [['macos'], 1])
})

test('an entry about another check, none, and a check of another organization are the same 404', async () => {
  const { organizationId } = app.tenant
  const [check, other] = [await make.check(organizationId), await make.check(organizationId)]
  await configure(check.id, { paused: true })
  await configure(other.id, { paused: true })
  const [foreign = ''] = await entriesOf(other.id)
  const answers = [
    await at(check.id, foreign),
    await at(check.id, '999999'),
    await at((await make.check((await app.addTenant()).organizationId)).id, foreign),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404, 404],
  )
})
