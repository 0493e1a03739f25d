import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser, password } from '../../../test/support/console.ts'
import { openLivePage } from '../../../test/support/live-page.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { transact } from '../../base/db/transact.ts'
import { announce } from '../../signals/events/announce.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(async () => {
  app.setNow('2026-11-20T11:00:00.000Z')
  await app.reset()
})

const listen = (cookie: string, leaving?: AbortController) => openLivePage(app.app, cookie, leaving)

async function signedIn(organizationId?: string) {
  const admin = await addAdmin(app, organizationId === undefined ? {} : { organizationId, email: 'other@b.example' })
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const tellOf = (organizationId: string, deviceId: string) =>
  transact(app.db, (tx) =>
    announce(tx, [{ organizationId, type: 'devices.created', deviceId, deviceName: 'new', cause: 'c', at: app.now() }]),
  )

test('a page hears which records have changed in its organization, and in no other', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Other')
  const [own, foreign] = [await make.device(organizationId), await make.device(other.organizationId)]
  const browser = await signedIn()
  const { answer, told, leave, beats } = await listen(browser.cookie ?? '')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  await tellOf(other.organizationId, foreign.id)
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  await tellOf(organizationId, own.id)
  const first = await told.next()
  assert.deepEqual(first.value, { event: 'changed', data: { topics: ['devices'] } })
  assert.ok(beats() >= 1, 'it is told at once that the connection is there')
  leave()
})

test('nobody listens without a session, with one that ends is told so, and not without bound', async () => {
  const stranger = await listen('')
  assert.equal(stranger.answer.status, 401)
  const browser = await signedIn()
  const pages = await Promise.all(Array.from({ length: 8 }, () => listen(browser.cookie ?? '')))
  assert.deepEqual(
    pages.map(({ answer }) => answer.status),
    Array.from({ length: 8 }, () => 200),
  )
  assert.equal((await listen(browser.cookie ?? '')).answer.status, 429)
  for (const page of pages.slice(1)) page.leave()
  const cookie = browser.cookie ?? ''
  assert.equal((await browser.ask('POST', '/session/sign_out')).status, 204)
  const heard: string[] = []
  for await (const { event } of pages[0]?.told ?? []) heard.push(event)
  assert.equal(heard.at(-1), 'ended', 'and then the answer ends')
  assert.equal((await listen(cookie)).answer.status, 401)
})

test('a session that its holder renews does not end for its pages, which come again', async () => {
  const browser = await signedIn()
  const before = browser.cookie ?? ''
  const { told } = await listen(before)
  assert.equal((await browser.ask('POST', '/session/step_up', { password })).status, 200)
  const heard: string[] = []
  for await (const { event } of told) heard.push(event)
  assert.deepEqual(new Set(heard), new Set(['changed']), 'the answer ends without a word')
  assert.equal((await listen(before)).answer.status, 401)
  const renewed = await listen(browser.cookie ?? '')
  assert.equal(renewed.answer.status, 200)
  renewed.leave()
})

test('a page that left while it was let in is not followed', async () => {
  const browser = await signedIn()
  const cookie = browser.cookie ?? ''
  for (let page = 0; page < 12; page += 1) {
    const leaving = new AbortController()
    const asked = listen(cookie, leaving).catch(() => undefined)
    setTimeout(() => leaving.abort(), page)
    await asked
  }
  // Until none of them counts anymore.
  await until(120_000, async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => listen(cookie)))
    for (const page of pages) page.leave()
    return pages.every(({ answer }) => answer.status === 200)
  })
})

test('automatic refreshes of a page do not keep a session alive', async () => {
  const browser = await signedIn()
  app.setNow('2026-11-20T11:20:00.000Z')
  assert.equal((await browser.ask('GET', '/session', undefined, { 'x-muster-background': '1' })).status, 200)
  app.setNow('2026-11-20T11:31:00.000Z')
  assert.equal((await browser.ask('GET', '/session')).status, 401)
})
