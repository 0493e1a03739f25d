import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { permissions } from '@muster/contract/permissions.ts'
import { apiVersions, latestVersion } from '@muster/contract/versions.ts'
import { baseUrl, testApp } from '../../test/support/app.ts'
import { buildDocument } from './openapi/build-document.ts'
import { committedDocuments } from './openapi/committed-documents.ts'
import { undocumentedCodes } from './openapi/describe-answers.ts'

const trial = testApp()
const ask = (url: string, headers: Record<string, string> = {}) => trial.ask('GET', url, { key: undefined, headers })

type Operation = {
  operationId: string
  parameters: { name?: string }[]
  responses: Record<string, { $ref?: string; content?: { 'application/json': { example?: unknown } } }>
}
const operationsOf = (document: { paths: Record<string, Record<string, Operation>> }) =>
  Object.values(document.paths).flatMap((item) => Object.values(item))

test('the committed OpenAPI documents are those of the routes: `npm run openapi` writes them', async () => {
  const folder = new URL('../../../contract/openapi/', import.meta.url)
  const documents = committedDocuments(trial.app.kit.operations)
  assert.deepEqual((await readdir(folder)).toSorted(), [...documents.keys()].toSorted())
  for (const [name, text] of documents) assert.equal(await readFile(new URL(name, folder), 'utf8'), text, name)
})

test('the committed difference makes the older document of the latest', () => {
  const documents = committedDocuments(trial.app.kit.operations)
  const [latest, patch] = [`${latestVersion}.json`, '2023-05-26.patch.json'].map((name) =>
    JSON.parse(documents.get(name) ?? ''),
  )
  const older = JSON.parse(JSON.stringify(buildDocument(trial.app.kit.operations, '2023-05-26')))
  assert.notDeepEqual(latest, older)
  assert.deepEqual(applyMergePatch(latest, patch), older)
})

/** RFC 7396, section 2. */
function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const result: Record<string, unknown> = typeof target === 'object' && target !== null ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = applyMergePatch(result[name], value)
  }
  return result
}

test('each version’s document is served with this server’s address, packed or not', async () => {
  for (const version of apiVersions) {
    const { status, body } = await ask(`/openapi/${version}.json`)
    assert.equal(status, 200)
    assert.deepEqual([body.openapi, body.info.version, body.servers], ['3.1.0', version, [{ url: baseUrl }]])
    const headers = { 'accept-encoding': 'br, gzip' }
    const packed = await trial.app.inject({ url: `/openapi/${version}.json`, headers })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.deepEqual(JSON.parse(gunzipSync(packed.rawPayload).toString()), body)
  }
  assert.equal((await ask('/openapi/2020-01-01.json')).status, 404)
})

test('every reference in a document leads somewhere, and every answer with a body has an example', async () => {
  for (const version of apiVersions) {
    const { body: document } = await ask(`/openapi/${version}.json`)
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)
    for (const [, path = ''] of references) {
      const target = path.split('/').reduce((place, name) => place?.[name], document)
      assert.ok(target !== undefined && Object.keys(target).length > 0, path)
    }
    assert.ok(!JSON.stringify(document).includes('"nullable"'))
    for (const { operationId, responses } of operationsOf(document)) {
      for (const { content } of Object.values(responses)) {
        const isFile = content && !('application/json' in content)
        assert.ok(!content || isFile || content['application/json'].example !== undefined, operationId)
      }
    }
  }
})

test('every error code is in the documents', () => {
  assert.deepEqual(undocumentedCodes(), [])
})

test('operations have names of their own in each version', async () => {
  for (const version of apiVersions) {
    const names = operationsOf((await ask(`/openapi/${version}.json`)).body).map(({ operationId }) => operationId)
    assert.ok(names.length > 0)
    assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted())
  }
})

test('the page of the documents needs no other host, and may run only its own scripts', async () => {
  const { status, body, headers } = await ask('/docs')
  assert.equal(status, 200)
  assert.doesNotMatch(body, /(?:src|href)="(?:https?:)?\/\//)
  const scripts = [...body.matchAll(/<script src="([^"]+)"/g)].map(([, address]) => address)
  assert.deepEqual(scripts, ['/docs/reference.js', '/docs/start.js'])
  const policy = headers['content-security-policy'] ?? ''
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
  assert.ok(nonce && body.includes(`nonce="${nonce}"`))
  assert.notEqual(/'nonce-([^']+)'/.exec((await ask('/docs')).headers['content-security-policy'] ?? '')?.[1], nonce)
  for (const address of scripts) {
    const script = await ask(address ?? '')
    assert.deepEqual([script.status, script.headers['content-type']], [200, 'text/javascript; charset=utf-8'])
  }
  assert.match((await ask('/docs/start.js')).body, /Scalar\.createApiReference/)
  assert.match((await ask('/docs/reference.js')).body, /createApiReference/)
})

test('the bare address leads browsers to the console and programs to the documents', async () => {
  const placeFor = async (accept?: string) => {
    const { status, headers } = await ask('/', accept === undefined ? {} : { accept })
    assert.deepEqual([status, headers['vary']], [302, 'accept'])
    return headers['location']
  }
  assert.equal(await placeFor('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'), '/console')
  for (const accept of [undefined, '*/*', 'application/json']) assert.equal(await placeFor(accept), '/docs')
})

test('the documents are listed where clients of this API family look for them, without a key', async () => {
  const { status, body } = await ask('/openapi_specifications')
  const data = apiVersions.map((version) => ({ version, spec_url: `${baseUrl}/openapi_specifications/${version}` }))
  const pagination = { next: '', current_cursor: '', next_cursor: '', count: data.length }
  assert.deepEqual([status, body], [200, { data, pagination }])
  for (const { version, spec_url } of data) {
    const document = await ask(spec_url.slice(baseUrl.length))
    assert.deepEqual(document.body, (await ask(`/openapi/${version}.json`)).body)
  }
  assert.equal((await ask('/openapi_specifications/2020-01-01')).status, 404)
})

test('pages of lists, errors and the parameters of lists are told once, and tags are described', async () => {
  for (const version of apiVersions) {
    const { body: document } = await ask(`/openapi/${version}.json`)
    assert.ok(!JSON.stringify(document.paths).includes('"required":["data","pagination"]'))
    assert.equal(document.components.schemas.DevicePage.properties.data.items.$ref, '#/components/schemas/Device')
    for (const { operationId, parameters, responses } of operationsOf(document)) {
      // A snapshot of a stream has cursors of its own.
      const isList = operationId !== 'getSsfStreamSnapshot'
      assert.ok(!isList || parameters.every(({ name }) => name !== 'cursor' && name !== 'per_page'), operationId)
      const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2'))
      assert.ok(
        refusals.every(([, { $ref }]) => $ref?.startsWith('#/components/responses/')),
        operationId,
      )
      assert.equal(responses['default']?.$ref, '#/components/responses/OtherError')
    }
    for (const { name, description } of document.tags) assert.ok(description?.length > 10, name)
  }
})

test('the guide to the API names every permission, and every operation that needs one', async () => {
  const guide = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'))
  for (const permission of Object.keys(permissions)) {
    const row = rows.find((line) => line.startsWith(`| \`${permission}\` |`)) ?? assert.fail(permission)
    const own = trial.app.kit.operations.filter(({ access }) => access === permission)
    const places = [...row.matchAll(/(\/[^`]+)`/g)].map(([, place = '']) => place)
    for (const { path } of own) {
      const address = path.replaceAll(/:\w+/g, '{id}')
      assert.ok(
        places.some((place) => address.startsWith(place)),
        `${permission}: ${address}`,
      )
    }
  }
})
