import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInStage } from '../../../test/support/sign-in-stage.ts'

const { stage, setUp, arrive, proveIn, finishPath } = signInStage()

const startUrl = 'https://payroll.example/start'
const withStart = () => setUp({ connection: { startUrl } })
const again = `href="${startUrl.replaceAll('/', '&#47;')}">Open Payroll again</a>`

/** The page leads to the application again, and says why. */
function leadsAgain({ status, text }: { status: number; text: string }, wanted: { status: number; words: RegExp }) {
  assert.equal(status, wanted.status, text)
  assert.match(text, wanted.words)
  assert.ok(text.replaceAll('&#47;', '/').includes(again.replaceAll('&#47;', '/')), text)
  assert.equal(text.includes('You’re in'), false)
}

test('an answered sign-in whose request is gone has ended, and leads nowhere else', async () => {
  const all = await withStart()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  assert.match((await visit.follow(path)).away ?? '', /code=/)
  const { reply, path: last, away } = await visit.follow(path)
  assert.deepEqual([last, away], [path, undefined])
  leadsAgain(reply, { status: 410, words: /This sign-in has ended.*Payroll got its answer\./s })
  const page = await visit.go(visit.path)
  leadsAgain(page, { status: 200, words: /data-state="ended".*This sign-in has ended/s })
  assert.equal(/data-finish="/.test(page.text), false)
  leadsAgain(await visit.go(path.replace(/\/finish$/, '')), { status: 400, words: /Payroll got its answer\./ })
})

test('an answer that was lost on its way is given again while its request is there', async () => {
  const all = await withStart()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  const { status, headers } = await visit.go(path)
  assert.equal(status, 303)
  assert.match((await visit.go(visit.path)).text, /data-state="passed"/)
  assert.equal((await visit.go(path)).headers['location'], headers['location'])
  assert.match((await visit.follow(headers['location'] ?? '')).away ?? '', /code=/)
})

test('a browser that has lost what the request needs is told so before anything is answered', async () => {
  const all = await withStart()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  for (const name of visit.cookies.keys()) if (name.startsWith('_interaction')) visit.cookies.delete(name)
  leadsAgain(await visit.go(path), { status: 410, words: /This browser has lost what it needs\./ })
  assert.deepEqual(await stage.db.selectFrom('signin_sessions').select('answered_at').execute(), [
    { answered_at: null },
  ])
})

test('a request that is replayed or one too many names the application', async () => {
  const all = await withStart()
  const request = await all.rp.signedRequest(all.connection.clientId, { login_hint: 'ana@example.com' })
  const visit = await arrive(all)
  await visit.follow(all.rp.addressOf(request))
  const replayed = await visit.follow(all.rp.addressOf(request))
  leadsAgain(replayed.reply, { status: 400, words: /This request has begun a sign-in before\./ })
  for (let count = 0; count < 60; count += 1) await arrive(all)
  const { reply } = await arrive(all)
  leadsAgain(reply, { status: 429, words: /Too many sign-ins.*Wait 10 minutes\./s })
})

test('without a start address the page says which application to open', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  await visit.follow(path)
  const { text } = await visit.go(path)
  assert.match(text, /Payroll got its answer\. Open Payroll again\./)
  assert.equal(/<a /.test(text), false)
})

test('a browser that did not begin the sign-in is not told the application', async () => {
  const all = await withStart()
  const visit = await arrive(all)
  await proveIn(visit, all)
  const path = await finishPath(visit)
  await visit.follow(path)
  const other = await arrive(all)
  for (const address of [path, path.replace(/\/finish$/, ''), visit.path]) {
    assert.equal(/Payroll/.test((await other.go(address)).text), false, address)
  }
})
