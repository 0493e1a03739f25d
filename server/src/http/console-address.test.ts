import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testApp } from '../../test/support/app.ts'

const context = testApp()
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

async function open(url: string, headers: Record<string, string> = { accept: browser }) {
  const { statusCode, headers: answered } = await context.app.inject({ method: 'GET', url, headers })
  return { status: statusCode, location: answered.location, vary: answered.vary }
}

test('a browser at an address of the API is led to the page of the console', async () => {
  for (const url of ['/devices/1', '/issues/3?tab=history', '/settings/admins', '/devices', '/people//evil.example']) {
    assert.deepEqual(await open(url), { status: 303, location: `/console${url}`, vary: 'accept' }, url)
  }
})

test('programs, keys and addresses that no page has are answered as ever', async () => {
  const others = ['*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0.5, application/json']
  for (const accept of others) assert.equal((await open('/devices/1', { accept })).status, 401, accept)
  assert.equal((await open('/devices/1', {})).status, 401)
  assert.equal((await open('/settings/admins', { accept: '*/*' })).status, 404)
  assert.equal((await open('/devices/1', { accept: browser, authorization: 'Bearer nothing' })).status, 401)
  const { key } = context.tenant
  assert.equal((await open('/devices', { accept: browser, authorization: `Bearer ${key}` })).status, 200)
  assert.equal(
    (await context.app.inject({ method: 'DELETE', url: '/devices/1', headers: { accept: browser } })).statusCode,
    401,
  )
  for (const [url, status] of [
    ['/docs', 200],
    ['/docs/none', 404],
    ['/healthz', 200],
    ['/.well-known/none', 404],
    ['/signin/none', 404],
    ['/api/v1/osquery/none', 404],
    ['/scim/v2/Users', 401],
    ['/evil.example', 404],
    ['//devices/1', 404],
    ['/console/api/session', 401],
  ] as const) {
    const answer = await open(url)
    assert.deepEqual([url, answer.status, answer.location], [url, status, undefined])
  }
})

test('every page of the console is found without its prefix', async () => {
  const routes = fileURLToPath(new URL('../../../console/src/routes/', import.meta.url))
  const sources = globSync('*.ts', { cwd: routes }).map((name) => readFileSync(routes + name, 'utf8'))
  const paths = sources.flatMap((text) => [...text.matchAll(/path: '(\/[a-z][^']*)'/g)].map(([, path = '']) => path))
  // What stands below a check has its address there.
  const whole = paths.filter((path) => !['/configuration', '/query', '/history'].includes(path))
  assert.ok(whole.length > 40)
  for (const path of whole) {
    const { location } = await open(path.replaceAll(/\$\w+/g, '1'))
    assert.equal(location, `/console${path.replaceAll(/\$\w+/g, '1')}`, path)
  }
})
