import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { apiVersions } from '@muster/contract/versions.ts'
import { baseUrl, testApp } from '../../test/support/app.ts'
import { undocumentedCodes } from './openapi/describe-answers.ts'
import { committedDocument } from './openapi/openapi-json.ts'

const trial = testApp()
const ask = (url: string, headers: Record<string, string> = {}) => trial.ask('GET', url, { key: undefined, headers })

type Operation = {
  operationId: string
  responses: Record<string, { $ref?: string; content?: { 'application/json': { example?: unknown } } }>
}
const operationsOf = (document: { paths: Record<string, Record<string, Operation>> }) =>
  Object.values(document.paths).flatMap((item) => Object.values(item))

test('the committed OpenAPI documents are those of the routes: `npm run openapi` writes them', async () => {
  for (const version of apiVersions) {
    const file = new URL(`../../../contract/openapi/${version}.json`, import.meta.url)
    assert.equal(await readFile(file, 'utf8'), committedDocument(trial.app.kit.operations, version), version)
  }
})

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

test('the bare address leads to the documents', async () => {
  const { status, headers } = await ask('/')
  assert.deepEqual([status, headers['location']], [302, '/docs'])
})
