import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)
let browser: ReturnType<typeof openBrowser>
beforeEach(async () => {
  await app.reset()
  browser = openBrowser(app)
  assert.equal((await browser.signIn((await addAdmin(app)).email)).status, 200)
})

test('listOwnerIssues has what owners read at sign-in, device by device, and nothing else', async () => {
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  const device = await make.device(organizationId, { name: 'ana-x1', registered_owner_id: ana.id })
  const nobodys = await make.device(organizationId, { name: 'spare' })
  const strategies = ['warn_then_block', 'notify_only', 'report_only'] as const
  for (const remediation_strategy of strategies) {
    const name = remediation_strategy
    const check = await make.check(organizationId, {
      ...{ name, issue_title: name, fix_instructions_template: 'Found {{ rows[0].KOLIDE_CHECK_STATUS | code }}.' },
      configuration: { remediation_strategy },
    })
    for (const on of [device, nobodys]) await make.result({ device: on, check, rows: 'FAIL', at: app.now() })
  }
  const exempted = await make.check(organizationId, { configuration: { remediation_strategy: 'notify_only' } })
  const { id: exemptedId } = await make.issue({ device, check: exempted, at: app.now() })
  await app.db.updateTable('issues').set({ exempted: true }).where('id', '=', exemptedId).execute()
  const other = await app.addTenant('Other')
  const foreign = await make.device(other.organizationId)
  const ids = [nobodys.id, device.id, foreign.id, device.id]
  const { status, body } = await browser.ask('GET', `/views/owner_issues?device_ids=${ids.join()}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.data.length, 1)
  const [{ email, issues }] = body.data
  assert.equal(email, 'ana@acme.example')
  assert.deepEqual(
    issues.map(({ title, strategy, fix_instructions, owner }: Record<string, unknown>) => [
      ...[title, strategy, fix_instructions],
      owner,
    ]),
    [
      ['warn_then_block', 'warn_then_block', 'Found `FAIL`.', { id: ana.id, name: 'Ana' }],
      ['notify_only', 'notify_only', 'Found `FAIL`.', { id: ana.id, name: 'Ana' }],
    ],
  )
})

test('more than fifty devices, and what is no identifier, are refused', async () => {
  const many = Array.from({ length: 51 }, (_, index) => index + 1).join()
  for (const asked of [many, '1,x', '']) {
    assert.equal((await browser.ask('GET', `/views/owner_issues?device_ids=${asked}`)).status, 422, asked)
  }
})
