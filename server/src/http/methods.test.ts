import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import type { RouteOptions } from 'fastify'
import { testApp } from '../../test/support/app.ts'
import { makeIn } from '../../test/support/make.ts'
import { shadowedMethods } from './fixed-addresses.ts'

const trial = testApp({ hasAgents: true })

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'

const send = (method: Method, url: string, headers: Record<string, string> = {}) =>
  trial.app.inject({ method, url, headers: { authorization: `Bearer ${trial.tenant.key}`, ...headers } })

/** Headers that differ from answer to answer. */
const changing = new Set(['x-request-id', 'ratelimit-remaining', 'ratelimit-reset', 'date', 'content-security-policy'])
const lasting = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.has(name)))

/** Their GET begins a sign-in, or hands out its code, which a HEAD must not. */
const withoutHead = ['/signin/oidc/auth', '/signin/oidc/auth/:uid']

test('every GET has a HEAD, with the same access, but those that begin or answer a sign-in', () => {
  const { routes } = trial.app
  const named = (route: (typeof routes)[number]) =>
    `${route.url} ${String(route.constraints?.['apiVersion'] ?? '')} ${route.config?.scheme?.name} ${route.config?.access} ${Boolean(route.onRequest)}`
  const of = (method: string) => routes.filter((route) => [route.method].flat().includes(method))
  const gets = of('GET').filter(({ url }) => !withoutHead.includes(url))
  assert.equal(of('GET').length, gets.length + withoutHead.length)
  assert.ok(gets.length > 150)
  assert.deepEqual(of('HEAD').map(named).toSorted(), gets.map(named).toSorted())
})

test('a HEAD is answered with the status and the headers of its GET, and without a body', async () => {
  const { id } = await makeIn(trial).device(trial.tenant.organizationId)
  const paths = ['/whoami', '/devices?per_page=1', `/devices/${id}`, '/devices/987654321', '/devices?per_page=0']
  const open = ['/healthz', '/readyz', '/docs', '/docs/reference.js', '/openapi/2026-04-07.json', '/', '/nothing']
  const signIn = ['/signin', '/signin/nothing', '/signin/1/recheck', '/signin/%zz', '/signin/return']
  const rest = ['/.well-known/ssf-configuration', '/ssf/jwks.json', '/console', '/console/devices', '/metrics']
  for (const url of [...paths, ...open, ...signIn, ...rest]) {
    const [got, head] = [await send('GET', url), await send('HEAD', url)]
    assert.equal(head.statusCode, got.statusCode, url)
    const ignored = url.startsWith('/healthz') || url === '/readyz' || url === '/metrics' ? ['content-length'] : []
    const kept = (headers: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(lasting(headers)).filter(([name]) => !ignored.includes(name)))
    assert.deepEqual(kept(head.headers), kept(got.headers), url)
    assert.equal(head.rawPayload.length, 0, url)
  }
})

test('a HEAD needs a key, counts against its limit, and asks for no more than its GET', async () => {
  assert.equal((await trial.app.inject({ method: 'HEAD', url: '/devices' })).statusCode, 401)
  assert.equal((await trial.app.inject({ method: 'HEAD', url: '/console/api/session' })).statusCode, 401)
  const left = async (method: Method) => Number((await send(method, '/whoami')).headers['ratelimit-remaining'])
  assert.equal((await left('GET')) - (await left('HEAD')), 1)
})

test('another method at an address that is there is a 405 that says which it takes', async () => {
  const cases: [method: Method, url: string, allow: string][] = [
    ['PUT', '/devices', 'GET, HEAD, OPTIONS'],
    ['POST', '/devices/5?x=1', 'GET, HEAD, DELETE, OPTIONS'],
    ['GET', '/devices/5/registration', 'PUT, PATCH, DELETE, OPTIONS'],
    ['HEAD', '/devices/5/registration/', 'PUT, PATCH, DELETE, OPTIONS'],
    ['DELETE', '/checks/5/configurations', 'GET, HEAD, PUT, PATCH, OPTIONS'],
    ['PATCH', '/healthz', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/console/api/devices', 'GET, HEAD, OPTIONS'],
  ]
  for (const [method, url, allow] of cases) {
    const { statusCode, headers, body } = await send(method, url)
    assert.deepEqual([statusCode, headers['allow']], [405, allow], url)
    if (method === 'HEAD') continue
    const message = `This address does not support ${method}. Use ${allow}.`
    assert.deepEqual(JSON.parse(body), { error: 'method_not_allowed', message })
  }
})

/** Fixed addresses beside one with a parameter, and what they have themselves; a new one belongs here. */
const fixedAddresses: Record<string, string> = {
  '/ssf_streams/status': 'GET, HEAD, POST, OPTIONS',
  '/ssf_streams/verify': 'POST, OPTIONS',
  '/scim/v2/Users/.search': 'POST, OPTIONS',
  '/scim/v2/Groups/.search': 'POST, OPTIONS',
  '/console/api/session/sessions/end_others': 'POST, OPTIONS',
  '/console/api/session/passkeys/options': 'POST, OPTIONS',
}

test('a fixed address beside one with a parameter has its own methods alone, whatever its parameter could be', async () => {
  const shadowed = shadowedMethods(trial.app.routes)
  assert.deepEqual(new Set(shadowed.map(({ route }) => route.url)), new Set(Object.keys(fixedAddresses)))
  assert.ok(shadowed.some(({ route }) => route.constraints?.['apiVersion'] === apiVersions[0]))
  for (const { route, methods } of shadowed) {
    const allow = fixedAddresses[route.url] ?? ''
    const version = route.constraints?.['apiVersion']
    const headers: Record<string, string> = version === undefined ? {} : { 'x-service-api-version': String(version) }
    for (const url of [route.url, `${route.url}/`, `${route.url}?x=1`]) {
      const options = await send('OPTIONS', url, headers)
      assert.deepEqual([url, options.statusCode, options.headers['allow']], [url, 204, allow])
      for (const method of methods as Method[]) {
        const { statusCode, headers: answered, body } = await send(method, url, headers)
        assert.deepEqual([method, url, statusCode, answered['allow']], [method, url, 405, allow])
        const media = url.startsWith('/scim/')
          ? 'application/scim+json; charset=utf-8'
          : 'application/json; charset=utf-8'
        if (method !== 'HEAD') assert.equal(answered['content-type'], media, `${method} ${url} ${body}`)
      }
    }
  }
  assert.equal((await send('DELETE', '/ssf_streams/verified')).statusCode, 404, 'others are identifiers')
})

test('a fixed address is judged by its version, and by all that an address around it takes', () => {
  const of = (method: string, url: string, apiVersion?: string) => ({ method, url, constraints: { apiVersion } })
  const routes = [
    ...[of('GET', '/a/:id', '1'), of('PUT', '/a/:id', '1'), of('PUT', '/a/:id', '2'), of('POST', '/a/new', '1')],
    ...[of('DELETE', '/a/:id/:part', '1'), of('GET', '/a/:id/log', '1'), of('PATCH', '/a/:other/log', '1')],
    ...[of('GET', '/b/:id', '1'), of('PUT', '/b/:other', '1'), of('GET', '/b/*', '1'), of('POST', '/b', '1')],
  ]
  const found = shadowedMethods(routes as unknown as RouteOptions[])
  assert.deepEqual(
    found.map(({ route, methods }) => [route.url, methods]),
    [
      ['/a/new', ['GET', 'PUT']],
      ['/a/:id/log', ['DELETE']],
      ['/a/:other/log', ['DELETE']],
    ],
  )
})

test('a route that has the method and finds nothing is a 404', async () => {
  for (const method of ['GET', 'HEAD'] as const) {
    assert.equal((await send(method, '/signin/assets/nothing.js')).statusCode, 404)
  }
})

test('OPTIONS says which methods an address takes', async () => {
  const { statusCode, headers, body } = await send('OPTIONS', '/live_query_campaigns')
  assert.deepEqual([statusCode, headers['allow'], body], [204, 'GET, HEAD, POST, OPTIONS', ''])
  assert.equal((await send('OPTIONS', '/nothing')).statusCode, 404)
})

test('an address that is not there in the version is a 404 with every method', async () => {
  const older = { 'x-service-api-version': '2023-05-26' }
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE'] as const) {
    assert.equal((await send(method, '/nothing')).statusCode, 404, method)
    assert.equal((await send(method, '/custom_check_drafts', older)).statusCode, 404, method)
    assert.equal((await send(method, '/devices', { 'x-service-api-version': '2020-01-01' })).statusCode, 400, method)
    assert.equal((await send(method, '/api/v0/devices')).statusCode, 410, method)
  }
})

test('an unknown endpoint of the console is a 404 in JSON instead of the console’s page', async () => {
  for (const url of ['/console/api', '/console/api/', '/console/api/nothing', '/console/api/nothing/1?x=1']) {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE'] as const) {
      const { statusCode, headers } = await send(method, url)
      assert.deepEqual(
        [statusCode, headers['content-type']],
        [404, 'application/json; charset=utf-8'],
        `${method} ${url}`,
      )
    }
  }
  assert.match(String((await send('GET', '/console/apis')).headers['content-type']), /^text\/html/)
})

test('SCIM and agents have the same answers in their own forms', async () => {
  const scim = await send('PUT', '/scim/v2/Users')
  assert.deepEqual([scim.statusCode, scim.headers['allow']], [405, 'GET, HEAD, POST, OPTIONS'])
  assert.equal(JSON.parse(scim.body).status, '405')
  assert.equal((await send('PUT', '/scim/v2/Nothing')).statusCode, 404)
  assert.equal((await send('OPTIONS', '/scim/v2/Users')).statusCode, 204)
})

test('a request with two Host headers is refused', async () => {
  await trial.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = trial.app.server.address() as AddressInfo
  const ask = async (head: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head}\r\n\r\n`)
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    await once(socket, 'close')
    return text
  }
  for (const second of ['Host: b', 'HOST: a', 'host:']) {
    const text = await ask(`GET /readyz HTTP/1.1\r\nHost: a\r\n${second}\r\nConnection: close`)
    assert.match(text, /^HTTP\/1\.1 400 /)
    assert.match(text, /The header Host is there more than once\./)
  }
  assert.match(await ask('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close'), /^HTTP\/1\.1 200 /)
  assert.match(await ask('GET /readyz HTTP/1.1\r\nConnection: close'), /The header Host is missing\./)
})
