import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseUrl } from '../support/app.ts'
import { wholeSignIn } from '../support/whole-sign-in.ts'

const { database, setUp, arrive, addConnection, newBrowser, onPage, record } = wholeSignIn()

type Visit = Awaited<ReturnType<typeof arrive>>

const posts = [
  ...[
    'challenge',
    'proof',
    'undetected',
    'once-more',
    'withdraw-registration',
    'cancel',
    'recheck',
    'register',
    'snooze',
    'exemption',
  ],
  ...['withdraw', 'seen'],
]

async function leavesNothing(attack: () => Promise<unknown>): Promise<void> {
  const before = await record()
  const sessions = await database.db.selectFrom('signin_sessions').selectAll().orderBy('id').execute()
  await attack()
  assert.deepEqual(await record(), before)
  assert.deepEqual(await database.db.selectFrom('signin_sessions').selectAll().orderBy('id').execute(), sessions)
}

test('no other page can have the browser press anything', async () => {
  const all = await setUp({ isRegistered: false })
  const visit = await arrive(all)
  await visit.prove(await all.laptop.prove(await visit.challenge()))
  await leavesNothing(async () => {
    for (const what of posts) {
      for (const origin of [
        'https://evil.example',
        'null',
        `${baseUrl}.evil.example`,
        'http://muster.test',
        undefined,
      ]) {
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
          const headers = { origin, 'content-type': type }
          const body = { message: 'Mine', issue_id: '1', reason: 'agent_not_found', proof: 'x' }
          const payload = type === 'application/json' ? body : new URLSearchParams(body).toString()
          const { status } = await visit.browser.go(`${visit.path}/${what}`, { method: 'POST', body: payload, headers })
          assert.ok([403, 415].includes(status), `${what} ${origin} ${type} ${status}`)
        }
      }
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const { status } = await visit.browser.go(`${visit.path}/${what}`, { method: method as 'GET' })
        assert.ok([404, 405].includes(status), `${method} ${what} ${status}`)
      }
    }
  })
})

test('a sign-in, its region and its news are for the browser that began it', async () => {
  const all = await setUp()
  const [visit, other] = [await arrive(all), await arrive(all)]
  await leavesNothing(async () => {
    for (const browser of [newBrowser(), other.browser]) {
      for (const path of [visit.path, `${visit.path}/region`, `${visit.path}/news`]) {
        const { status, text } = await browser.go(path)
        assert.equal(status, 403, path)
        assert.equal(/ana|Payroll/i.test(text), false)
      }
      for (const what of posts) {
        assert.equal((await browser.go(`${visit.path}/${what}`, { method: 'POST', body: {} })).status, 403, what)
      }
    }
  })
})

test('the cookie of another tab opens only the sign-in of that tab', async () => {
  const all = await setUp()
  const [visit, other] = [await arrive(all), await arrive(all)]
  const [[, secret = ''] = []] = [...visit.browser.cookies].filter(([name]) => name.includes('muster-si-'))
  const nameOf = (one: Visit) => `__Host-muster-si-${one.id.slice(0, 8)}`
  const statusWith = async (cookie: string) => (await newBrowser().go(other.path, { headers: { cookie } })).status
  assert.equal(await statusWith(`${nameOf(other)}=${secret}`), 403)
  assert.equal(await statusWith(`${nameOf(visit)}=${secret}`), 403)
  assert.equal(await statusWith(`${nameOf(other).replace('__Host-', '')}=${secret}`), 403)
  const [[, own = ''] = []] = [...other.browser.cookies].filter(([name]) => name.includes('muster-si-'))
  assert.equal(await statusWith(`${nameOf(other)}=${own}; ${nameOf(other)}=${secret}`), 403, 'someone else has set one')
  assert.equal(await statusWith(`${nameOf(other)}=${own}`), 200)
})

test('two tabs of one browser keep their sign-ins apart', async () => {
  const all = await setUp()
  const browser = newBrowser()
  const one = await arrive(all, 'ana@example.com', browser)
  const two = await arrive(all, 'ben@example.com', browser)
  const proof = await all.laptop.prove(await one.challenge())
  assert.equal((await two.prove(proof)).error?.code, 'proof_invalid')
  assert.equal((await one.prove(proof)).state, 'passed')
  assert.match((await browser.follow((await one.finishPath()) ?? '')).away ?? '', /code=/)
  assert.equal(await two.finishPath(), undefined)
})

test('the sign-in of an attacker cannot be put under a victim, whose device would answer it', async () => {
  const all = await setUp()
  const attacker = await arrive(all, 'ben@example.com')
  const victim = newBrowser()
  await leavesNothing(async () => {
    assert.equal((await victim.go(attacker.path)).status, 403)
    const uid = (await database.db.selectFrom('signin_sessions').select('interaction_uid').executeTakeFirstOrThrow())
      .interaction_uid
    assert.equal((await victim.go(`/signin/oidc/auth/${uid}`)).status, 403)
  })
  assert.equal(
    [...victim.cookies.keys()].some((name) => name.includes('muster-si-')),
    false,
  )
})

test('a cookie that was planted in a browser is the one of no sign-in that begins there, and opens no device', async () => {
  const all = await setUp()
  const attacker = await arrive(all, 'ben@example.com')
  const victim = newBrowser()
  for (const [name, secret] of attacker.browser.cookies) victim.cookies.set(name, secret)
  const own = await arrive(all, 'ana@example.com', victim)
  const secretOf = ({ browser, id }: Visit) => browser.cookies.get(`__Host-muster-si-${id.slice(0, 8)}`)
  assert.notEqual(own.id, attacker.id)
  assert.notEqual(secretOf(own), secretOf(attacker))
  // The page of the attacker opens in the victim's browser then, and her laptop answers it.
  const proof = await all.laptop.prove(await attacker.challenge())
  const { text } = await victim.go(`${attacker.path}/proof`, { method: 'POST', body: { proof } })
  assert.equal((JSON.parse(text) as { state?: string }).state, 'not_your_device')
  assert.equal(await attacker.finishPath(), undefined)
  assert.equal((await own.prove(await all.laptop.prove(await own.challenge()))).state, 'passed')
})

test('a look that waits for news ends for the browser that began the sign-in, and never begins for another', async () => {
  const all = await setUp()
  const [visit, other] = [await arrive(all), await arrive(all, 'ben@example.com')]
  const markOf = async (text: string) => (JSON.parse(text) as { mark: string }).mark
  const seen = await markOf((await visit.browser.go(`${visit.path}/news?seen=`)).text)
  const held = visit.browser.go(`${visit.path}/news?seen=${seen}`)
  for (const browser of [newBrowser(), other.browser]) {
    assert.equal((await browser.go(`${visit.path}/news?seen=${seen}`)).status, 403)
    assert.equal((await browser.go(`${visit.path}/news?seen=`)).status, 403)
  }
  await visit.prove(await all.laptop.prove(await visit.challenge()))
  const { status, text } = await held
  assert.equal(status, 200)
  assert.notEqual(await markOf(text), seen)
})

test('every sign-in has a secret of its own, which is kept as a hash and bound to this host', async () => {
  const all = await setUp()
  const visits = [await arrive(all), await arrive(all)]
  const secrets = visits.map(({ browser }) => [...browser.cookies].find(([name]) => name.includes('muster-si-')))
  assert.notEqual(secrets[0]?.[1], secrets[1]?.[1])
  for (const pair of secrets) assert.match(pair?.[0] ?? '', /^__Host-muster-si-[0-9a-f]{8}$/)
  const kept = JSON.stringify(await database.db.selectFrom('signin_sessions').selectAll().execute())
  for (const pair of secrets) assert.equal(kept.includes(pair?.[1] ?? 'x'), false)
})

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  `'-alert(1)-'`,
  '</title><svg onload=alert(1)>',
  '{{7*7}}',
  '&lt;b&gt;',
]

/** Tags that a hostile text would have made. */
const isDrawn = (text: string) => /<script>alert|<img src=x|<svg onload|onerror=alert\(1\)>/.test(text)

test('a hostile name of an application, a person or a device is text on the page', async () => {
  const all = await setUp()
  for (const name of hostile) {
    const requester = await addConnection(all.organizationId, { name })
    await database.db.updateTable('devices').set({ name }).execute()
    await database.db.updateTable('organizations').set({ name }).where('id', '=', all.organizationId).execute()
    await database.db.updateTable('people').set({ name }).where('id', '=', all.ana.id).execute()
    const visit = await arrive(requester)
    await visit.prove(await all.laptop.prove(await visit.challenge()))
    for (const path of [visit.path, `${visit.path}/region`]) {
      const { text, headers } = await visit.browser.go(path)
      assert.equal(isDrawn(text), false, text)
      assert.match(headers['content-type'] ?? '', /^text\/html; charset=utf-8$/)
    }
    const { headers } = await visit.browser.go(visit.path)
    assert.match(headers['content-security-policy'] ?? '', /default-src 'none'; script-src 'self'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
})

test('a hostile hint, state or address is text wherever it is shown again', async () => {
  const all = await setUp()
  for (const text of hostile) {
    const unknown = await arrive(all, text)
    assert.equal(isDrawn((await unknown.browser.go(unknown.path)).text), false)
    const request = await all.rp.signedRequest(all.connection.clientId, { login_hint: 'ana@example.com', state: text })
    const visit = await onPage(newBrowser(), all.rp.addressOf(request))
    assert.equal(isDrawn(visit.reply.text), false)
    const { headers } = await visit.post('cancel')
    const { away = '' } = await visit.browser.follow(headers['location'] ?? '')
    assert.equal(new URL(away).searchParams.get('state'), text)
    for (const parameters of [
      { client_id: text },
      { client_id: all.connection.clientId, redirect_uri: text, response_type: 'code', scope: 'openid' },
      { client_id: all.connection.clientId, request: text },
      { client_id: all.connection.clientId, response_type: text, scope: text, prompt: text },
    ]) {
      const { reply } = await newBrowser().follow(all.rp.addressOf(parameters as unknown as Record<string, string>))
      assert.equal(isDrawn(reply.text), false, reply.text)
    }
    const query = new URLSearchParams({ state: text, error: text, error_description: text, code: text, iss: text })
    for (const path of ['/signin/upstream/return', '/signin/return', '/signin/oidc/session/end']) {
      const answer = await newBrowser().go(`${path}?${query}`)
      assert.equal(isDrawn(answer.text), false, path)
      assert.equal(answer.headers['location'], undefined, path)
    }
    const { text: lost } = await newBrowser().go(`/signin/${encodeURIComponent(text)}`)
    assert.equal(isDrawn(lost), false)
  }
})

test('the page of a fault in a request allows no script', async () => {
  const all = await setUp()
  const { reply } = await newBrowser().follow(all.rp.addressOf({ client_id: 'nobody' }))
  assert.equal(reply.status, 400)
  assert.match(reply.headers['content-security-policy'] ?? '', /default-src 'none'/)
})

test('a name that leads to the server by DNS rebinding finds no sign-in', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await leavesNothing(async () => {
    for (const host of ['rebound.evil.example', '127.0.0.1', 'muster.test.evil.example', 'localhost']) {
      for (const path of [visit.path, `${visit.path}/region`, '/signin/oidc/auth?client_id=x', '/signin/oidc/jwks']) {
        const { status } = await visit.browser.go(path, { headers: { host } })
        assert.ok(status >= 400, `${host} ${path} ${status}`)
      }
      const post = await visit.browser.go(`${visit.path}/challenge`, {
        ...{ method: 'POST', body: {} },
        headers: { host, origin: `https://${host}` },
      })
      assert.ok(post.status >= 400, `${host} ${post.status}`)
    }
  })
})
