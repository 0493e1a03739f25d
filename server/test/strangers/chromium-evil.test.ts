// Party: Chromium: chromium
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type ApplicationSite, openApplicationSite } from './application-site.ts'
import { optionsFor, privatePage, setLoopback } from './chromium.ts'
import type { Laptop } from './laptop.ts'
import { loopbackBrowser } from './loopback-browser.ts'
import { newestSignIn } from './sign-in-page.ts'
import { signInPlace } from './sign-in-place.ts'

const place = signInPlace()
const hint = { login_hint: 'ana@acme.example' }
const reboundName = 'rebound.evil.example'
let browser: Browser
let site: ApplicationSite
let laptop: Laptop
let evil: Server
let evilOrigin: string

before(async () => {
  await place.ready
  const { id: ownerId } = await place.make.person(place.tenant.organizationId, { email: hint.login_hint })
  laptop = await place.tenant.addLaptop({ ownerId })
  site = await openApplicationSite(place, hint)
  evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Win a prize</title><h1>Win a prize</h1>')
  })
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  const { port } = evil.address() as AddressInfo
  evilOrigin = `http://127.0.0.1:${port}`
  const { args, executablePath } = optionsFor(place.tenant.origin)
  const isPublic = (arg: string) => (arg.startsWith('--ip-address-space') ? `${arg},127.0.0.1:${port}=public` : arg)
  const rebinding = `--host-resolver-rules=MAP ${reboundName} 127.0.0.1`
  browser = await chromium.launch({ executablePath, args: [...args.map(isPublic), rebinding] })
})

after(async () => {
  await browser?.close()
  await site?.stop()
  evil?.close()
})

/** What the page of the attacker reads; everything that is no answer at all is an empty text. */
type Try = (page: Page, at: string, challenge: string) => Promise<string>

const inPage =
  (script: string): Try =>
  (page, at, challenge) =>
    page.evaluate(`(async () => { const at = ${JSON.stringify(at)}, challenge = ${JSON.stringify(challenge)};
      try { return String(await (async () => { ${script} })()) } catch (error) { return error.name } })()`)

const read = (options: string) =>
  inPage(`const answer = await fetch(at + '/v1/attest', ${options}); return answer.type + await answer.text()`)
const json = "headers: { 'content-type': 'application/json' }, body: JSON.stringify({ challenge })"
const plain = 'body: JSON.stringify({ challenge })'

/** Puts an element with the address of the other way into the page, and reads what it can of it. */
const embedded = (tag: string, attribute: string) =>
  inPage(`const one = document.createElement('${tag}'); one.${attribute} = at + '/v1/return?c=' + challenge
    document.body.append(one); await new Promise((done) => { one.onload = one.onerror = done; setTimeout(done, 1500) })
    try { return one.contentWindow?.location.href ?? '' } finally { one.remove() }`)

const tries: Record<string, Try> = {
  'fetch of hello': inPage("return (await fetch(at + '/v1/hello')).status"),
  'fetch with JSON': read(`{ method: 'POST', ${json} }`),
  'fetch with plain text': read(`{ method: 'POST', ${plain} }`),
  'fetch without CORS': read(`{ method: 'POST', mode: 'no-cors', ${plain} }`),
  'fetch for this origin only': read(`{ method: 'POST', mode: 'same-origin', ${json} }`),
  'fetch with cookies': read(`{ method: 'POST', credentials: 'include', ${json} }`),
  'fetch that hides where it comes from': read(`{ method: 'POST', referrerPolicy: 'no-referrer', ${json} }`),
  'fetch that says it is for loopback': read(`{ method: 'POST', targetAddressSpace: 'loopback', ${json} }`),
  'fetch of the other way': inPage("return await (await fetch(at + '/v1/return?c=' + challenge)).text()"),
  'fetch of the other way without its redirect': inPage(
    "const answer = await fetch(at + '/v1/return?c=' + challenge, { redirect: 'manual', mode: 'no-cors' }); return answer.type + answer.url",
  ),
  XMLHttpRequest: inPage(`return await new Promise((done) => { const call = new XMLHttpRequest()
    call.open('POST', at + '/v1/attest'); call.onloadend = () => done(call.status + call.responseText)
    call.setRequestHeader('content-type', 'application/json'); call.send(JSON.stringify({ challenge })) })`),
  beacon: inPage("return navigator.sendBeacon(at + '/v1/attest', JSON.stringify({ challenge }))"),
  'web socket':
    inPage(`return await new Promise((done) => { const socket = new WebSocket(at.replace('http', 'ws') + '/v1/attest')
    socket.onopen = () => done('open'); socket.onerror = () => done('') })`),
  image: embedded('img', 'src'),
  script: embedded('script', 'src'),
  frame: embedded('iframe', 'src'),
  object: embedded('object', 'data'),
  'form in a frame': inPage(`const frame = Object.assign(document.createElement('iframe'), { name: 'target' })
    const form = Object.assign(document.createElement('form'), { action: at + '/v1/attest', method: 'post', target: 'target' })
    form.append(Object.assign(document.createElement('input'), { name: 'challenge', value: challenge }))
    document.body.append(frame, form); form.submit(); await new Promise((done) => setTimeout(done, 1000))
    return frame.contentWindow.location.href`),
  'navigation, which leads to Muster': async (page, at, challenge) => {
    const back = page.waitForURL(/\/signin\/return/)
    await page.evaluate(`location.assign(${JSON.stringify(`${at}/v1/return?c=${challenge}`)})`)
    await back
    await page.waitForLoadState('networkidle')
    return (await page.goto(evilOrigin))?.url() ?? ''
  },
  'a name that leads to this machine (DNS rebinding)': async (page, at, challenge) => {
    const rebound = `http://${reboundName}:${new URL(at).port}`
    await page.goto(`${rebound}/v1/return?c=${challenge}`).catch(() => undefined)
    // The attacker's server has served this page; now its name leads here. Over http the browser allows it nothing.
    await page.route(`${rebound}/prize`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Prize</h1>' }))
    await page.goto(`${rebound}/prize`)
    const script = `const answer = await fetch('/v1/attest', { method: 'POST', ${json} }); return answer.status + await answer.text()`
    const seen = await inPage(script)(page, at, challenge)
    await page.goto(evilOrigin)
    return seen
  },
}

test('a page of another origin that may ask gets none of 20 proofs, and the sign-in that it drives stays where it is', async () => {
  const attacker = await loopbackBrowser(place.tenant.origin).arrive((await site.begin()).address)
  const { id } = await newestSignIn(place)
  const { context, page } = await privatePage(browser)
  await setLoopback(context, page, evilOrigin, 'granted')
  await page.goto(evilOrigin)
  const at = `http://127.0.0.1:${laptop.port}`
  const answered: string[] = []
  page.on('response', (response) => answered.push(`${response.status()} ${new URL(response.url()).pathname}`))
  assert.equal(Object.keys(tries).length, 20)
  for (const [what, attempt] of Object.entries(tries)) {
    const seen = await attempt(page, at, await attacker.challenge())
    assert.doesNotMatch(seen, /ey[\w-]+\.ey[\w-]+\.|proof/, what)
  }
  assert.ok(answered.includes('303 /v1/return'), 'the navigation was answered')
  assert.ok(answered.includes('404 /v1/return'), 'the other name was not')
  assert.equal(
    answered.some((one) => one === '200 /v1/attest' || one === '204 /v1/hello'),
    false,
  )
  const session = (await place.sessions()).find((one) => one.id === id)
  assert.deepEqual([session?.device_id, session?.state], [null, 'looking'])
  await context.close()
})
