import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { callOrigin } from '../../../test/support/call-origin.ts'
import { type KeySite, openKeySite } from '../../../test/support/key-site.ts'
import { freePort, until } from '../../../test/support/muster-process.ts'
import { type Fault, listenForSets } from './listen-for-sets.ts'
import { rememberSets } from './remember-sets.ts'
import { setVerifier } from './verify-set.ts'

const issuer = 'https://trust.example.test'
const audience = 'https://receiver.example.test/events'
const authorization = 'Bearer agreed'
const claims = { iss: issuer, aud: audience, iat: 1, jti: 'token-1', events: { 'urn:event': {} } }
const shown: string[] = []

let site: KeySite
let listener: { close(): Promise<void> }
let origin = ''
let fault: Fault | undefined

before(async () => {
  site = await openKeySite()
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  listener = await listenForSets({
    port,
    path: '/events',
    tls: undefined,
    authorization,
    fault: () => fault,
    verify: setVerifier({ issuer, audience, jwksUri: site.jwksUri }),
    seen: rememberSets(),
    show: async ({ outcome, detail, claims: of }) => {
      shown.push([outcome, detail, of?.jti].filter(Boolean).join(' '))
    },
  })
})
after(async () => {
  await listener.close()
  await site.close()
})

type Sent = { method?: string; path?: string; headers?: Record<string, string> }

async function send(token: string, { method = 'POST', path = '/events', headers = {} }: Sent = {}) {
  shown.length = 0
  const response = await fetch(origin + path, {
    method,
    headers: { 'content-type': 'application/secevent+jwt', authorization, ...headers },
    ...(method === 'POST' && { body: token }),
  })
  const text = await response.text()
  return [response.status, text === '' ? undefined : JSON.parse(text).err, [...shown]]
}

test('an event is taken with 202, and with 202 again when it comes again', async () => {
  const token = await site.sign(claims)
  assert.deepEqual(await send(token), [202, undefined, ['accepted token-1']])
  assert.deepEqual(await send(`${token}\n`), [202, undefined, ['repeated it came before token-1']])
})

test('what is no event is refused as RFC 8935 has it, and shown', async () => {
  const token = await site.sign({ ...claims, jti: 'token-2' })
  const other = await site.sign({ ...claims, aud: 'other' })
  const unauthorized = 'refused authentication_failed: The Authorization header is not the agreed one'
  assert.deepEqual(await send(token, { headers: { authorization: 'Bearer other' } }), [
    400,
    'authentication_failed',
    [unauthorized],
  ])
  assert.deepEqual((await send(token, { headers: { 'content-type': 'application/jwt' } })).slice(0, 2), [
    400,
    'invalid_request',
  ])
  assert.deepEqual(await send(other), [
    400,
    'invalid_audience',
    ['refused invalid_audience: unexpected "aud" claim value'],
  ])
  assert.deepEqual((await send('x'.repeat(70_000))).slice(0, 2), [400, 'invalid_request'])
  assert.deepEqual(await send(token, { path: '/elsewhere' }), [404, undefined, []])
  assert.deepEqual(await send(token, { method: 'PUT' }), [405, undefined, []])
  assert.deepEqual(await send(token), [202, undefined, ['accepted token-2']], 'it was not taken before')
})

test('a transmitter whose keys cannot be had is asked to come again', async () => {
  site.setBroken(true)
  const port = await freePort()
  const own = await listenForSets({
    port,
    path: '/events',
    tls: undefined,
    authorization: undefined,
    fault: () => undefined,
    verify: setVerifier({ issuer, audience, jwksUri: site.jwksUri }),
    seen: rememberSets(),
    show: async () => {},
  })
  const response = await fetch(`http://127.0.0.1:${port}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/secevent+jwt' },
    body: await site.sign(claims),
  })
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5'])
  await own.close()
  site.setBroken(false)
})

test('faults are shown on demand and remember nothing', async () => {
  const token = await site.sign({ ...claims, jti: 'token-3' })
  const answers: Record<string, unknown> = {}
  for (const one of ['503', '429', '400'] as const) {
    fault = one
    answers[one] = await send(token)
  }
  assert.deepEqual(answers, {
    503: [503, undefined, ['put_off by --answer 503 token-3']],
    429: [429, undefined, ['put_off by --answer 429 token-3']],
    400: [400, 'invalid_request', ['refused by --answer 400 token-3']],
  })
  fault = 'hang'
  shown.length = 0
  const giveUp = new AbortController()
  const hanging = fetch(`${origin}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/secevent+jwt', authorization },
    body: token,
    signal: giveUp.signal,
  })
  hanging.catch(() => {})
  await until(10_000, async () => shown.length > 0)
  giveUp.abort()
  await assert.rejects(hanging)
  fault = undefined
  assert.deepEqual(await send(token), [202, undefined, ['accepted token-3']])
  assert.equal((await callOrigin(origin, 'GET', '/events')).status, 405)
})
