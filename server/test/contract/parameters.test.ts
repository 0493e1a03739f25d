import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiVersions, latestVersion } from '@muster/contract/versions.ts'
import { createScimToken } from '../../src/access/scim/create-token.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import type { Operation } from '../../src/http/operations.ts'
import { testApp } from '../support/app.ts'
import { addressOf } from './addresses.ts'
import { populate, type World } from './populate.ts'

const harness = testApp()
let filling: Promise<World> | undefined

/** Hooks of one file run side by side, so the first test that needs the world fills it. */
function filled(): Promise<World> {
  filling ??= populate(harness, harness.tenant.organizationId)
  return filling
}

const operations = (version: string): Operation[] =>
  harness.app.kit.operations.filter(
    ({ access, versions }) => access !== 'public' && versions.some((v) => v === version),
  )

const withParameter = (path: string, parameter: string) => `${path}${path.includes('?') ? '&' : '?'}${parameter}`
const ask = (method: string, url: string, version: string = latestVersion) =>
  harness.ask(method, url, { headers: { 'x-service-api-version': version } })

test('every operation refuses a parameter that it does not know, and has done nothing', async () => {
  const world = await filled()
  const all = operations(latestVersion)
  assert.ok(all.length > 100)
  const before = await harness.db.selectFrom('audit_logs').select('id').execute()
  for (const operation of all) {
    const { status, body } = await ask(operation.method, withParameter(addressOf(operation, world), 'colour=red'))
    const text = JSON.stringify(body)
    assert.equal(status, operation.faultsAreMalformed ? 400 : 422, `${operation.method} ${operation.path}: ${text}`)
    assert.match(body.message, /colour is not a parameter of this operation, which takes /, operation.path)
    if (!operation.faultsAreMalformed) assert.equal(body.errors[0].field, 'colour')
  }
  assert.deepEqual(await harness.db.selectFrom('audit_logs').select('id').execute(), before)
})

test('the older version ignores such a parameter, as it always has', async () => {
  const world = await filled()
  const [, older = ''] = apiVersions
  for (const operation of operations(older).filter(({ method }) => method === 'GET')) {
    const path = addressOf(operation, world)
    const [plain, other] = [await ask('GET', path, older), await ask('GET', withParameter(path, 'serial=NOPE'), older)]
    assert.deepEqual([other.status, other.body], [200, plain.body], operation.operationId)
  }
})

const meant: [parameter: string, message: string][] = [
  ['serial=C02X0', 'search by it with query, such as query=serial:…'],
  ['auth_state=Blocked', 'search by it with query, such as query=auth_state:…'],
  ['per_pages=5', 'did you mean per_page?'],
  ['perPage=5', 'did you mean per_page?'],
  ['Query=name:x', 'did you mean query?'],
  ['qurey=name:x', 'did you mean query?'],
  ['cursr=x', 'did you mean cursor?'],
  ['page=2', 'which takes cursor, per_page, query'],
  ['limit=1', 'which takes cursor, per_page, query'],
  ['filter=x', 'which takes cursor, per_page, query'],
  ['__proto__=1', 'which takes cursor, per_page, query'],
  ['constructor=1', 'which takes cursor, per_page, query'],
  [`${'q'.repeat(9_000)}=1`, 'which takes cursor, per_page, query'],
]

for (const [parameter, message] of meant) {
  test(`devices?${parameter.slice(0, 40)}: ${message}`, async () => {
    const { status, body } = await ask('GET', `/devices?${parameter}`)
    const [name = ''] = parameter.split('=')
    const separator = message.startsWith('which') ? ',' : ';'
    assert.deepEqual(
      [status, body.error, body.errors],
      [422, 'invalid', [{ field: name, message: `is not a parameter of this operation${separator} ${message}` }]],
    )
    assert.ok(body.message.length < 300)
  })
}

test('each parameter that is not known is named, 50 at most', async () => {
  const { body } = await ask('GET', '/devices?serial=NOPE&per_page=5&colour=red')
  assert.deepEqual(
    body.errors.map(({ field }: { field: string }) => field),
    ['serial', 'colour'],
  )
  const many = Array.from({ length: 400 }, (_, index) => `p${index}=1`).join('&')
  assert.equal((await ask('GET', `/devices?${many}`)).body.errors.length, 50)
})

test('a page size changes nothing where there is no list', async () => {
  const [id = ''] = (await filled())['devices'] ?? []
  const [plain, sized] = [await ask('GET', `/devices/${id}`), await ask('GET', `/devices/${id}?per_page=100`)]
  assert.deepEqual([sized.status, sized.body], [200, plain.body])
})

test('who may not ask is told that first', async () => {
  assert.equal((await harness.ask('GET', '/devices?colour=red', { key: undefined })).status, 401)
  const { status } = await harness.ask('DELETE', '/devices/1?colour=red', { key: harness.tenant.readOnlyKey })
  assert.equal(status, 403)
})

test('what stands in other standards, and pages, ignore a parameter that they do not know', async () => {
  const change = systemChange(harness.tenant.organizationId, harness.now())
  const { token } = await transact(harness.db, (tx) => createScimToken(tx, harness.secrets, { name: 'IdP' }, change))
  const addresses: [url: string, key: string | undefined][] = [
    ['/scim/v2/Users?colour=red', token],
    ['/scim/v2/ServiceProviderConfig?colour=red', token],
    ['/.well-known/ssf-configuration?colour=red', undefined],
    ['/ssf/jwks.json?client_id=x', undefined],
    ['/openapi_specifications?colour=red', undefined],
    ['/docs?colour=red', undefined],
    ['/readyz?colour=red', undefined],
  ]
  for (const [url, key] of addresses) assert.equal((await harness.ask('GET', url, { key })).status, 200, url)
})

test('bytes of an address that are not UTF-8 are refused instead of searched for', async () => {
  for (const query of ['query=name~%DCber', 'query=name~%', '%FFname=1', 'query=name~%C3']) {
    const { status, body } = await ask('GET', `/devices?${query}`)
    assert.deepEqual([status, body.error], [400, 'malformed_request'], query)
    assert.match(body.message, /UTF-8/)
  }
  assert.equal((await ask('GET', '/devices?query=name~%C3%9Cber')).status, 200)
})
