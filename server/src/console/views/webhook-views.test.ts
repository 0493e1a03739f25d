import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { permissions } from '@muster/contract/permissions.ts'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { webhookRowsIn } from '../../../test/support/webhook-rows.ts'
import { plusMs } from '../../base/time.ts'

const app = testApp()
const make = makeIn(app.database)
const rows = webhookRowsIn(app.database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

beforeEach(async () => {
  app.setNow(minute(60))
  await app.reset()
})

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

test('getWebhookView, listDeliveryViews: counts of a day and of all, and what is found', async () => {
  const { organizationId } = app.tenant
  const browser = await signedIn()
  const endpoint = await make.webhookEndpoint(organizationId)
  const device = await make.device(organizationId, { name: 'ana-mbp' })
  const old = await rows.delivery(endpoint, { state: 'failed', queued_at: plusMs(startOfTests, -86_400_000) })
  const failed = await rows.delivery(endpoint, { state: 'failed', event: 'issues.new', queued_at: minute(1) })
  const taken = await rows.delivery(endpoint, { state: 'delivered', device_id: device.id, queued_at: minute(2) })
  const tried = await rows.delivery(endpoint, { attempts: 2, queued_at: minute(3) })
  const waiting = await rows.delivery(endpoint, { queued_at: minute(4) })
  await rows.delivery(await make.webhookEndpoint(organizationId), { state: 'failed' })
  const base = `/views/webhooks/${endpoint.id}`
  assert.deepEqual((await browser.ask('GET', base)).body, {
    ...{ delivered_today: 1, failed_today: 1, waiting: 1, retrying: 1, is_more_pending: false, failed: 2 },
  })
  const list = (query = '') => browser.ask('GET', `${base}/deliveries${query}`)
  assert.deepEqual(idsIn(await list()), [waiting.id, tried.id, taken.id, failed.id, old.id])
  assert.deepEqual(idsIn(await list('?state=failed')), [failed.id, old.id])
  assert.deepEqual(idsIn(await list('?event=issues.new')), [failed.id])
  const byName = await list('?search=ANA')
  assert.deepEqual(
    byName.body.data.map((row: { id: string; device_name: string }) => [row.id, row.device_name]),
    [[taken.id, 'ana-mbp']],
  )
  const { message_id: messageId } = (await list('?state=delivered')).body.data[0]
  assert.deepEqual(idsIn(await list(`?search=${messageId}`)), [taken.id])
  const page = (await list('?state=failed&per_page=1')).body
  const rest = await list(`?state=failed&per_page=1&cursor=${page.pagination.next_cursor}`)
  assert.deepEqual([idsIn({ body: page }), idsIn(rest)], [[failed.id], [old.id]])
  assert.equal((await list('?state=lost')).status, 422)
})

test('countWebhookResend counts what a call for the same range sends again', async () => {
  const browser = await signedIn()
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  for (const [index, state] of (['failed', 'delivered', 'failed', 'failed'] as const).entries()) {
    await rows.delivery(endpoint, { state, queued_at: minute(index) })
  }
  const count = (query: string) => browser.ask('GET', `/views/webhooks/${endpoint.id}/resend_count?${query}`)
  const range = { from: minute(1), to: minute(60) }
  const asked = `from=${range.from}&to=${range.to}`
  assert.deepEqual((await count(asked)).body, { count: 2 })
  assert.deepEqual((await count(`${asked}&state=delivered`)).body, { count: 1 })
  assert.equal((await count('from=then&to=now')).status, 422)
  const sent = await browser.ask('POST', `/webhook_endpoints/${endpoint.id}/resend`, range)
  assert.equal(sent.body.resent_count, 2)
  assert.deepEqual((await count(asked)).body, { count: 0 })
})

test('webhooks of others are not there, and nothing is without the permission', async () => {
  const other = await make.webhookEndpoint((await app.addTenant('Other')).organizationId)
  const browser = await signedIn()
  const paths = ['', '/deliveries', `/resend_count?from=${startOfTests}&to=${minute(1)}`]
  for (const id of [other.id, '900000000000000001', 'x']) {
    for (const path of paths) assert.equal((await browser.ask('GET', `/views/webhooks/${id}${path}`)).status, 404)
  }
  const own = await make.webhookEndpoint(app.tenant.organizationId)
  const limited = await signedIn({
    email: 'tom@acme.example',
    access: 'limited',
    restrictions: Object.keys(permissions),
  })
  for (const path of paths) assert.equal((await limited.ask('GET', `/views/webhooks/${own.id}${path}`)).status, 403)
})
