import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'

const app = testApp()

beforeEach(() => app.reset())

async function signedIn(wanted: Parameters<typeof addAdmin>[1] = {}) {
  const admin = await addAdmin(app, wanted)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return { browser, id: admin.id }
}

const view = { page: 'devices', name: 'Macs that block soon', filters: 'platform=Mac&view=soon', is_shared: false }
const namesOf = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name)

test('views are their maker’s or everyone’s, and go when their maker deletes them', async () => {
  const { browser: maya, id: mayaId } = await signedIn()
  const { browser: noor } = await signedIn({ email: 'noor@acme.example', access: 'limited' })
  const own = await maya.ask('POST', '/session/saved_views', view)
  assert.deepEqual(own.body, {
    ...{ id: own.body.id, name: view.name, filters: view.filters },
    ...{ is_shared: false, is_own: true },
  })
  const shared = await maya.ask('POST', '/session/saved_views', { ...view, name: 'All Macs', is_shared: true })
  assert.deepEqual(namesOf(await maya.ask('GET', '/session/saved_views/devices')), ['All Macs', view.name])
  assert.deepEqual(namesOf(await maya.ask('GET', '/session/saved_views/issues')), [])
  assert.deepEqual((await noor.ask('GET', '/session/saved_views/devices')).body.data, [
    { ...shared.body, is_own: false },
  ])
  assert.equal((await noor.ask('DELETE', `/session/saved_views/${shared.body.id}`)).status, 404)
  assert.equal((await maya.ask('DELETE', `/session/saved_views/${own.body.id}`)).status, 204)
  assert.deepEqual(namesOf(await maya.ask('GET', '/session/saved_views/devices')), ['All Macs'])
  const { data } = (await app.ask('GET', '/audit_logs?per_page=3')).body
  assert.equal(data[0].description, 'Deleted the view "Macs that block soon" of the list devices.')
  assert.equal(data[2].description, 'Saved the view "Macs that block soon" of the list devices.')

  await app.db.deleteFrom('admin_users').where('id', '=', mayaId).execute()
  const [left] = (await noor.ask('GET', '/session/saved_views/devices')).body.data
  assert.deepEqual([left.name, left.is_own], ['All Macs', true], 'what nobody owns anyone may delete')
  assert.equal((await noor.ask('DELETE', `/session/saved_views/${shared.body.id}`)).status, 204)
})

test('a view of the same name, a blank one and one for no list are refused; other organizations have their own', async () => {
  const other = await app.addTenant('Other')
  const { browser } = await signedIn()
  const { browser: foreign } = await signedIn({ email: 'x@other.example', organizationId: other.organizationId })
  const { body } = await browser.ask('POST', '/session/saved_views', { ...view, is_shared: true })
  const repeat = await browser.ask('POST', '/session/saved_views', { ...view, name: view.name.toUpperCase() })
  assert.deepEqual(repeat.body.errors, [{ field: 'name', message: 'is already the name of a view' }])
  assert.equal((await browser.ask('POST', '/session/saved_views', { ...view, name: '  ' })).status, 422)
  assert.equal((await browser.ask('POST', '/session/saved_views', { ...view, page: 'secrets' })).status, 422)
  assert.equal((await browser.ask('GET', '/session/saved_views/secrets')).status, 404)
  assert.deepEqual(namesOf(await foreign.ask('GET', '/session/saved_views/devices')), [])
  assert.equal((await foreign.ask('DELETE', `/session/saved_views/${body.id}`)).status, 404)
  assert.equal((await foreign.ask('POST', '/session/saved_views', view)).status, 200)
})

test('who sees to billing only has no lists, and so no views', async () => {
  const { browser } = await signedIn({ access: 'billing_only' })
  assert.equal((await browser.ask('GET', '/session/saved_views/devices')).status, 403)
  assert.equal((await browser.ask('POST', '/session/saved_views', view)).status, 403)
})
