import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { openParty, type Party } from './open-party.ts'

let party: Party
const errors: unknown[] = []

before(async () => {
  party = await openParty((error) => errors.push(error))
  party.serve(async ({ method, path, form, cookie }) => {
    if (path === '/broken') throw new Error('broken')
    return { text: `${method} ${path} ${(await form()).get('word') ?? '-'} ${cookie('own') ?? '-'}` }
  })
})
after(() => party.close())

type Answer = { status: number | undefined; location: string | undefined; text: string }

/** With any Host, which fetch does not send. */
const ask = (method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(`${party.origin}${path}`, { method, headers })
    asked.on('error', reject)
    asked.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, location: response.headers.location, text }))
    })
    asked.end(body)
  })

const port = () => new URL(party.origin).port

test('the name localhost leads to the address, with path and query', async () => {
  const { status, location } = await ask('GET', '/some/path?a=1', { host: `localhost:${port()}` })
  assert.deepEqual([status, location], [302, `${party.origin}/some/path?a=1`])
})

test('another name that resolves to this machine gets nothing', async () => {
  for (const host of ['evil.example', `evil.example:${port()}`, `localhost.evil.example:${port()}`]) {
    assert.equal((await ask('GET', '/', { host })).status, 421, host)
  }
  assert.equal((await ask('POST', '/', { host: `localhost:${port()}` })).status, 421)
})

test('a form of another page is refused, and one of its own is read', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (origin: string, body = 'word=hut') =>
    ask('POST', '/', { ...type, origin, cookie: 'other=1; own=2' }, body)
  assert.equal((await post('https://evil.example')).status, 403)
  assert.equal((await post('null')).status, 403)
  assert.equal((await post(party.origin)).text, 'POST / hut 2')
  assert.equal((await post(party.origin, `word=${'x'.repeat(20_000)}`)).text, 'POST / - 2')
})

test('a fault is told to whoever runs the demo, not to the browser', async () => {
  const { status, text } = await ask('GET', '/broken')
  assert.equal(status, 500)
  assert.doesNotMatch(text, /broken/)
  assert.match(String(errors), /broken/)
  assert.equal((await ask('DELETE', '/')).status, 400)
})
