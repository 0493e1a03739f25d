import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { baseUrl } from '../../../test/support/app.ts'
import { signInStage } from '../../../test/support/sign-in-stage.ts'

const { stage, setUp, arrive } = signInStage()

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const form = 'application/x-www-form-urlencoded'

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
type Sent = { accept?: string; type?: string; payload?: string; headers?: Record<string, string> }

async function ask(method: Method, url: string, { accept, type, payload, headers }: Sent = {}) {
  const host = new URL(baseUrl).host
  const sent = { host, ...(accept && { accept }), ...(type && { 'content-type': type }), ...headers }
  const answer = await stage.app.inject({ method, url, headers: sent, ...(payload !== undefined && { payload }) })
  const title = /<h1 tabindex="-1">([^<]*)</.exec(answer.payload)?.[1]
  return { ...answer, status: answer.statusCode, type: String(answer.headers['content-type'] ?? ''), title }
}

function assertPage({ headers, type, payload }: Awaited<ReturnType<typeof ask>>, title: string): void {
  assert.equal(type, 'text/html; charset=utf-8', title)
  assert.match(String(headers['content-security-policy']), /^default-src 'none'.*frame-ancestors 'none'$/, title)
  assert.deepEqual(
    [headers['referrer-policy'], headers['cache-control'], headers['x-content-type-options']],
    ['no-referrer', 'no-store', 'nosniff'],
    title,
  )
  assert.match(payload, /<link rel="stylesheet" href="\/signin\/assets\//, title)
}

/** Every address below /signin, with whatever its parameters may be. */
const addresses = (): string[] => [
  ...new Set(
    stage.app.routes
      .filter(({ url }) => url === '/signin' || url.startsWith('/signin/'))
      .flatMap(({ url }) =>
        ['1', 'f'.repeat(24), '%00', '\'"<b>'].map((value) => url.replaceAll(/:\w+/g, encodeURI(value))),
      ),
  ),
]

/** What programs read there, and which error is theirs alone: of an access token, in the form of its protocol (RFC 6750). */
const documents = ['/signin/oidc/.well-known/openid-configuration', '/signin/oidc/jwks']
const ofTokens = '/signin/oidc/me'

test('whatever address below /signin someone opens, the answer is no JSON', async () => {
  await setUp()
  const all = addresses()
  assert.ok(all.length > 60, String(all.length))
  for (const url of [...all, '/signin', '/signin/', '/signin/nothing/there', '/signin/%zz', '/signin/oidc/nothing']) {
    if (url === ofTokens) continue
    for (const accept of [undefined, '*/*', browser, 'text/html, application/json;q=0.5']) {
      const answer = await ask('GET', url, { ...(accept && { accept }) })
      const title = `${url} ${accept}: ${answer.status} ${answer.payload.slice(0, 100)}`
      if (documents.includes(url)) {
        assert.deepEqual([answer.status, answer.type.split(';')[0]?.endsWith('json')], [200, true], title)
        continue
      }
      assert.doesNotMatch(answer.type, /json/, title)
      if (answer.status >= 400) assertPage(answer, title)
      assert.doesNotMatch(answer.payload, /<b>|%3Cb|%00/, title)
    }
    if (documents.includes(url)) continue
    const head = await ask('HEAD', url, { accept: browser })
    assert.doesNotMatch(head.type, /json/, url)
    assert.equal(head.payload, '', url)
  }
})

test('whoever is in a sign-in reads no JSON at any address of it but in its news', async () => {
  const visit = await arrive(await setUp())
  for (const { url } of stage.app.routes.filter((route) => route.url.startsWith('/signin/:id/'))) {
    const path = url.replace('/signin/:id', visit.path)
    const { status, headers } = await visit.go(path, { headers: { accept: browser } })
    const isNews = path.endsWith('/news')
    assert.equal(/json/.test(headers['content-type'] ?? ''), isNews, path)
    if (isNews) assert.equal(status, 200)
  }
})

test('a page in place of an error has its status and headers', async () => {
  const id = 'f'.repeat(24)
  for (const [url, allow] of [
    [`/signin/${id}/recheck`, 'POST, OPTIONS'],
    ['/signin/entra/1/authorize', 'POST, OPTIONS'],
    ['/signin/oidc/token', 'POST, OPTIONS'],
  ] as const) {
    const answer = await ask('GET', url, { accept: browser })
    assertPage(answer, url)
    const { status, headers, title } = answer
    assert.deepEqual([status, headers['allow'], title], [405, allow, 'Start from the app again'], url)
    assert.match(answer.payload, /There is nothing to open at this address\./)
  }
  assert.equal((await ask('GET', '/signin/nothing/there')).status, 404)
  assert.equal((await ask('GET', '/signin/%zz')).status, 400)
})

test('a program that names JSON reads JSON, and so does what a script or another server sends', async () => {
  const json = 'application/json; charset=utf-8'
  const found = async (...given: Parameters<typeof ask>) => {
    const { status, type, payload } = await ask(...given)
    return [status, type, (JSON.parse(payload) as { error: string }).error]
  }
  const nothing = '/signin/nothing/there'
  assert.deepEqual(await found('GET', nothing, { accept: 'application/json' }), [404, json, 'not_found'])
  assert.deepEqual(await found('GET', nothing, { accept: 'application/json, */*' }), [404, json, 'not_found'])
  assert.deepEqual(await found('GET', nothing, { accept: 'application/json, text/html;q=0.1' }), [
    404,
    json,
    'not_found',
  ])
  for (const accept of ['*/*', 'application/json', '']) {
    assert.deepEqual(await found('POST', nothing, { accept }), [404, json, 'not_found'])
    assert.deepEqual(await found('DELETE', '/signin/return', { accept }), [405, json, 'method_not_allowed'])
  }
  const grant = await ask('POST', '/signin/oidc/token', { accept: '*/*', type: form, payload: 'grant_type=none' })
  assert.match(grant.type, /^application\/json/)
  const tokenless = await ask('GET', ofTokens, { headers: { authorization: 'Bearer nothing' } })
  assert.deepEqual([tokenless.status, tokenless.type.split(';')[0]], [401, 'application/json'])
})

test('a browser’s form that cannot be taken is answered by a page, and a script’s by JSON', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const large = { type: form, payload: `message=${'x'.repeat(80_000)}` }
  const other = { type: 'text/plain', payload: 'message=x' }
  for (const url of [`${visit.path}/register`, '/signin/entra/1/authorize']) {
    for (const [sent, status, title] of [
      [large, 413, 'This form is too large'],
      [other, 415, 'This form cannot be read'],
    ] as const) {
      const page = await ask('POST', url, { ...sent, accept: browser })
      assertPage(page, url)
      assert.deepEqual([page.status, page.title], [status, title], url)
      const told = await ask('POST', url, { ...sent, accept: '*/*' })
      assert.deepEqual([told.status, told.type], [status, 'application/json; charset=utf-8'], url)
    }
  }
})

test('a form of the page that is refused says so without what was sent', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  const sent = (what: string, fields: Record<string, string>) => {
    const headers = { 'content-type': form, accept: browser }
    return visit.go(`${visit.path}/${what}`, { method: 'POST', body: new URLSearchParams(fields).toString(), headers })
  }
  const long = await sent('register', { message: 'evil'.repeat(2_000) })
  assert.equal(long.status, 422)
  assert.match(long.text, /<h1 tabindex="-1">This form was not accepted</)
  assert.doesNotMatch(long.text, /evil/)
  const none = await sent('withdraw', { request_id: 'evil' })
  assert.deepEqual([none.status, none.headers['content-type']], [404, 'text/html; charset=utf-8'])
  assert.doesNotMatch(none.text, /evil/)
})

test('a failure of ours is a page to load again, and for a script JSON', async () => {
  const all = await setUp()
  const visit = await arrive(all)
  await sql`alter table signin_sessions rename to signin_sessions_away`.execute(stage.db)
  try {
    const page = await ask('GET', visit.path, { accept: browser })
    assertPage(page, visit.path)
    assert.deepEqual([page.status, page.headers['retry-after'], page.title], [500, '5', 'Something broke on our side'])
    assert.match(page.payload, /Load this page again in a few seconds/)
    const sent = { type: form, payload: '' }
    const posted = await ask('POST', `${visit.path}/recheck`, { ...sent, accept: browser })
    assert.deepEqual([posted.status, posted.headers['retry-after']], [500, '5'])
    assert.match(posted.payload, /Go back and try again in a few seconds/)
    const told = await ask('POST', `${visit.path}/recheck`, { ...sent, accept: '*/*' })
    assert.deepEqual([told.status, told.json().error], [500, 'internal'])
  } finally {
    await sql`alter table signin_sessions_away rename to signin_sessions`.execute(stage.db)
  }
})

test('errors elsewhere stay JSON, also at addresses that begin alike', async () => {
  for (const url of ['/signing', '/signin-x/1', '/nothing/signin']) {
    assert.equal((await ask('GET', url, { accept: browser })).type, 'application/json; charset=utf-8', url)
  }
})
