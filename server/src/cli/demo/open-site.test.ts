import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { after, before, test } from 'node:test'
import { openSite, type Party } from './open-site.ts'

let party: Party
let path: string
let origin: string
const server = createServer()
const errors: unknown[] = []

before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  origin = `http://127.0.0.1:${address.port}`
  const site = openSite(origin, (error) => errors.push(error))
  server.on('request', (message, response) => site.answer(message, response) || response.end('of the service'))
  site.party('').serve(({ path: below }) => ({ text: `start ${below}` }))
  party = site.party('notes')
  path = new URL(party.address).pathname
  party.serve(async ({ method, path: below, form, cookie }) => {
    if (below === '/broken') throw new Error('broken')
    const text = `${method} ${below} ${(await form()).get('word') ?? '-'} ${cookie('own') ?? '-'}`
    return { text, cookies: [party.cookie('own', '3')] }
  })
})
after(() => server.close())

type Answer = { status: number | undefined; headers: Record<string, string | string[] | undefined>; text: string }

/** With any Host, which fetch does not send. */
const ask = (method: string, at: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(`${origin}${at}`, { method, headers })
    asked.on('error', reject)
    asked.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    asked.end(body)
  })

test('each party is below the path that the start page has, and the rest is the service', async () => {
  const start = path.replace('/notes', '')
  assert.match(start, /^\/demo\/[\w-]{22}$/)
  assert.equal((await ask('GET', start)).text, 'start /')
  assert.equal((await ask('GET', `${start}/`)).text, 'start /')
  assert.equal((await ask('GET', `${start}/live`)).text, 'start /live')
  assert.equal((await ask('GET', `${path}/back/again?a=1`)).text, 'GET /back/again - -')
  const { text, headers } = await ask('GET', path)
  assert.equal(text, 'GET / - -')
  assert.deepEqual(headers['set-cookie'], [`own=3; Path=${path}; HttpOnly; SameSite=Lax`])
  assert.equal((await ask('GET', '/console')).text, 'of the service')
})

test('who does not know the path gets nothing but how to find it', async () => {
  for (const at of [
    '/demo/',
    `/demo/${'x'.repeat(22)}/notes`,
    `${path.replace('/notes', '')}x/notes`,
    '/demo//notes',
  ]) {
    const { status, text } = await ask('GET', at)
    assert.equal(status, 404, at)
    assert.match(text, /Open the address in the terminal/)
    assert.ok(!text.includes(path.split('/')[2] ?? ''))
  }
})

test('the name localhost leads to the address, with path and query', async () => {
  const { status, headers } = await ask('GET', `${path}?a=1`, { host: `localhost:${new URL(origin).port}` })
  assert.deepEqual([status, headers['location']], [302, `${origin}${path}?a=1`])
})

test('another name that resolves to this machine gets nothing', async () => {
  const { port } = new URL(origin)
  for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`]) {
    assert.equal((await ask('GET', path, { host })).status, 421, host)
  }
  assert.equal((await ask('POST', path, { host: `localhost:${port}` })).status, 421)
})

test('a form of another page is refused, and one of its own is read', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (from: string, body = 'word=hut') =>
    ask('POST', path, { ...type, origin: from, cookie: 'other=1; own=2' }, body)
  assert.equal((await post('https://evil.example')).status, 403)
  assert.equal((await post('null')).status, 403)
  assert.equal((await post(origin)).text, 'POST / hut 2')
  assert.equal((await post(origin, `word=${'x'.repeat(20_000)}`)).text, 'POST / - 2')
})

test('a fault is told to whoever runs the demo, not to the browser', async () => {
  const { status, text } = await ask('GET', `${path}/broken`)
  assert.equal(status, 500)
  assert.doesNotMatch(text, /broken/)
  assert.match(String(errors), /broken/)
  assert.equal((await ask('DELETE', path)).status, 400)
})
