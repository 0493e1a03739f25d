import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { assertTurns } from '../../../test/support/longest-turn.ts'
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

test('what one request renders is bounded, and what is left out is marked and can be asked for apart', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  const text = (letter: string) => `{% for i in (1..45) %}${letter.repeat(440)}{% endfor %}{{ rows[0].pk }}`
  const checks = []
  for (const letter of ['a', 'b', 'c', 'd', 'e']) {
    const templates = { rationale_template: text(letter), fix_instructions_template: `${text(letter)} fix` }
    const configuration = { remediation_strategy: 'notify_only' } as const
    checks.push(await make.check(organizationId, { ...templates, configuration }))
  }
  const ids: string[] = []
  for (let number = 0; number < 50; number += 1) {
    const device = await make.device(organizationId, { name: `laptop-${number}`, registered_owner_id: owner.id })
    ids.push(device.id)
    for (const check of checks) {
      const issue = await make.issue({ device, check, at: app.now() })
      const value = JSON.stringify({ KOLIDE_CHECK_STATUS: 'FAIL', pk: `${number}` })
      await app.db.updateTable('issues').set({ value }).where('id', '=', issue.id).execute()
    }
  }
  let length = 0
  await assertTurns('texts of issues', async () => {
    const { status, body } = await browser.ask('GET', `/views/owner_issues?device_ids=${ids.join()}`)
    assert.equal(status, 200)
    length = JSON.stringify(body).length
    const issues: { texts_left_out: boolean; rationale: string | null }[] = body.data.flatMap(
      (device: { issues: unknown[] }) => device.issues,
    )
    const leftOut = issues.filter((issue) => issue.texts_left_out)
    assert.equal(issues.length, 250)
    assert.ok(leftOut.length > 100 && leftOut.length < 250, `${leftOut.length} left out`)
    assert.ok(issues.every((issue) => (issue.rationale === null) === issue.texts_left_out))
  })
  assert.ok(length < 5_000_000, `${length} characters`)
  const { body } = await browser.ask('GET', `/views/owner_issues?device_ids=${ids.at(-1)}`)
  assert.deepEqual(
    body.data[0].issues.map((issue: { texts_left_out: boolean }) => issue.texts_left_out),
    [false, false, false, false, false],
  )
})

test('rows and templates that are too long together are not read', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  const check = await make.check(organizationId, {
    ...{ rationale_template: 'Why.', configuration: { remediation_strategy: 'notify_only' } },
  })
  const ids: string[] = []
  for (let number = 0; number < 12; number += 1) {
    const device = await make.device(organizationId, { registered_owner_id: owner.id })
    ids.push(device.id)
    const issue = await make.issue({ device, check, at: app.now() })
    const value = JSON.stringify({ KOLIDE_CHECK_STATUS: 'FAIL', x: 'x'.repeat(1_000_000) })
    await app.db.updateTable('issues').set({ value }).where('id', '=', issue.id).execute()
  }
  const { body } = await browser.ask('GET', `/views/owner_issues?device_ids=${ids.join()}`)
  const leftOut = body.data.map(
    ({ issues: [issue] }: { issues: { texts_left_out: boolean }[] }) => issue?.texts_left_out,
  )
  assert.deepEqual(leftOut.slice(-5), [true, true, true, true, true])
  assert.equal(leftOut[0], false)
})
