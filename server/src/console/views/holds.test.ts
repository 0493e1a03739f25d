import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { contextAt, makeIn } from '../../../test/support/make.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { catalogue } from '../../checks/catalogue/catalogue.ts'
import { updateShippedChecks } from '../../checks/definitions/update-shipped-checks.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'

const app = testApp()
const make = makeIn(app)
const never = new AbortController().signal

beforeEach(() => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

/** A check that twelve people's devices fail, and an administrator who lets it block at once. */
async function holdTwelve() {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { name: 'The firewall is on' })
  for (let number = 0; number < 12; number += 1) {
    const owner = await make.person(organizationId)
    const device = await make.device(organizationId, { registered_owner_id: owner.id })
    await make.result({ device, check, rows: 'FAIL', at: app.now() })
  }
  const browser = await signedIn()
  const change = { remediation_strategy: 'block_immediately' }
  const preview = await browser.ask('POST', `/checks/${check.id}/configuration_preview`, { change })
  const saved = await browser.ask('POST', `/checks/${check.id}/previewed_configuration`, {
    ...{ change, preview: preview.body.token },
  })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  const recompute = () =>
    recomputeCheck(app.db, { organizationId, checkId: check.id }, () => contextAt(app.now()), never)
  await recompute()
  return { check, browser, preview: preview.body, recompute }
}

const countOf = async (state: string) =>
  (
    await app.db
      .selectFrom('devices')
      .select('id')
      .where('auth_state', '=', state as 'good')
      .execute()
  ).length

test('a preview says that blocks would be held, and its numbers are what saving does', async () => {
  const { preview } = await holdTwelve()
  assert.deepEqual(preview.held, { devices: 12, people: 12, limit: 10, taken_back: 0 })
  assert.deepEqual([preview.blocked_now, preview.blocked_at_end, preview.hit], [0, 0, 0])
  assert.deepEqual(preview.spared_by, [{ reason: 'held', group_name: null, count: 12 }])
  assert.equal(preview.effects.block_immediately.blocked_now, 0)
  assert.equal(await countOf('good'), 12)
})

test('held blocks are listed with their check and devices until someone releases them', async () => {
  const { check, browser, recompute } = await holdTwelve()
  const { data } = (await browser.ask('GET', '/views/block_holds')).body
  const hold = {
    ...{ id: data[0].id, check: { id: check.id, name: 'The firewall is on' }, began_at: app.now() },
    ...{
      owner_limit: 10,
      query_upgraded_at: null,
      taken_back: 0,
      devices: 12,
      people: 12,
      discarded_at: null,
      discarded_by: null,
    },
  }
  assert.deepEqual(data, [hold])
  const { data: issues } = (await browser.ask('GET', '/views/issues?state=held')).body
  assert.deepEqual([issues.length, issues[0].is_held, issues[0].blocks_at], [12, true, null])
  assert.equal((await browser.ask('GET', '/views/issues?state=notified')).body.data.length, 0)
  assert.equal((await browser.ask('POST', `/block_holds/${hold.id}/release`)).status, 204)
  await recompute()
  assert.equal(await countOf('blocked'), 12)
  assert.deepEqual((await browser.ask('GET', '/views/block_holds')).body.data, [])
  assert.equal((await browser.ask('POST', `/block_holds/${hold.id}/release`)).status, 422)
})

test('discarded blocks stay listed with whoever discarded them, and are released after all', async () => {
  const { browser, recompute } = await holdTwelve()
  const [{ id }] = (await browser.ask('GET', '/views/block_holds')).body.data
  assert.equal((await browser.ask('POST', `/block_holds/${id}/discard`)).status, 204)
  const [discarded] = (await browser.ask('GET', '/views/block_holds')).body.data
  assert.deepEqual([discarded.id, discarded.devices, discarded.discarded_at], [id, 12, app.now()])
  assert.notEqual(discarded.discarded_by, null)
  assert.equal((await browser.ask('POST', `/block_holds/${id}/discard`)).status, 422)
  assert.equal((await browser.ask('POST', `/block_holds/${id}/release`)).status, 204)
  await recompute()
  assert.equal(await countOf('blocked'), 12)
  const { data } = (await browser.ask('GET', '/views/audit_logs?per_page=4')).body
  assert.deepEqual(
    data.map(({ action }: { action: string }) => action),
    ['check.blocks_released', 'check.blocks_discarded', 'check.configured', 'check.blocks_held'],
  )
})

test('only who may configure checks decides about held blocks', async () => {
  const { browser } = await holdTwelve()
  const [{ id }] = (await browser.ask('GET', '/views/block_holds')).body.data
  const reader = await signedIn({ email: 'reader@example.com', access: 'limited', restrictions: ['configure_checks'] })
  assert.equal((await reader.ask('GET', '/views/block_holds')).status, 200)
  for (const verb of ['release', 'discard']) {
    assert.equal((await reader.ask('POST', `/block_holds/${id}/${verb}`)).status, 403)
  }
})

test('what an upgrade changed is counted at its check for 30 days, and what it holds is listed with it', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, {
    ...{ slug: 'firewall', edition: 1, configuration: { remediation_strategy: 'block_immediately' } },
  })
  const devices = []
  for (const rows of ['PASS', 'PASS', 'FAIL', 'FAIL', 'PASS'] as const) {
    const owner = await make.person(organizationId)
    const device = await make.device(organizationId, { registered_owner_id: owner.id })
    devices.push(device)
    await make.result({ device, check, rows, at: plusMs(app.now(), -60_000) })
  }
  const browser = await signedIn()
  const upgradeOf = async () => (await browser.ask('GET', `/views/checks/${check.id}`)).body.upgrade
  assert.equal(await upgradeOf(), null)
  const at = app.now()
  const [shipped] = catalogue
  assert.ok(shipped)
  await updateShippedChecks(app.db, {
    ...{ catalogue: [{ ...shipped, slug: 'firewall', edition: 2 }], context: () => contextAt(at), signal: never },
  })
  const answers = ['FAIL', 'PASS', 'FAIL', 'PASS'] as const
  for (const [place, rows] of answers.entries()) {
    await make.result({ device: devices[place] ?? assert.fail(), check, rows, at: app.now() })
  }
  assert.deepEqual(await upgradeOf(), { query_upgraded_at: at, newly_failing: 1, newly_passing: 1, waiting: 1 })
  const [hold, ...more] = (await browser.ask('GET', '/views/block_holds')).body.data
  assert.equal(more.length, 0)
  assert.deepEqual([hold.query_upgraded_at, hold.owner_limit, hold.devices, hold.people], [at, null, 1, 1])

  await app.db
    .updateTable('check_configurations')
    .set({ query_upgraded_at: plusMs(at, -31 * dayMs) })
    .execute()
  assert.equal(await upgradeOf(), null, 'no news anymore')
  await app.db.updateTable('check_configurations').set({ query_upgraded_at: at, query_revision: '9' }).execute()
  assert.equal(await upgradeOf(), null, 'what the organization changed since is counted with it no more')
})
