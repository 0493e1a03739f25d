import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type Feature, features } from '@muster/contract/features.ts'
import { type Permission, permissions } from '@muster/contract/permissions.ts'
import { apiVersions } from '@muster/contract/versions.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { transact } from '../../src/base/db/transact.ts'
import type { Operation } from '../../src/http/operations.ts'
import { setFeature } from '../../src/inventory/organizations/set-feature.ts'
import { testApp } from '../support/app.ts'
import { addressOf } from './addresses.ts'
import { type Ask, askByDocuments } from './ask-by-documents.ts'
import { populate, type World } from './populate.ts'
import { type Write, writes } from './write-table.ts'

const harness = testApp()
let opening: Promise<Ask> | undefined
/** Hooks of one file run side by side, so the first test that asks lets the app listen. */
function opened(): Promise<Ask> {
  opening ??= askByDocuments(harness.app)
  return opening
}

const order = ['POST', 'PATCH', 'PUT', 'DELETE']
const changes = (): Operation[] =>
  harness.app.kit.operations
    .filter(({ method }) => method !== 'GET')
    .toSorted((one, other) => order.indexOf(one.method) - order.indexOf(other.method))

const writeOf = ({ operationId }: Operation): Write =>
  writes[operationId.replace(/WithPut$/, '')] ?? assert.fail(`say how ${operationId} is asked`)

function asked(operation: Operation, world: World) {
  const { place, body, ...write } = writeOf(operation)
  const path = addressOf(operation, world, operation.method === 'PUT' ? place + 1 : place)
  return { ...write, path, ...(body && { body: body(world) }) }
}

const permissionOf = ({ access, operationId }: Operation): Permission =>
  access === 'read' || access === 'public' ? assert.fail(`${operationId} asks for no permission`) : access

async function switchFeature(feature: Feature, isOn: boolean): Promise<void> {
  const context = systemChange(harness.tenant.organizationId, harness.now())
  await transact(harness.db, (tx) => setFeature(tx, { feature, isOn }, context))
}

/** The rows of "What a 503 leaves open": the requests, and what a repetition does. */
const guide = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8')
const documented = guide
  .slice(guide.indexOf('### What a 503 leaves open'), guide.indexOf('## Bodies'))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split(' | '))

function toldOf({ method, path }: Operation): string | undefined {
  const address = `${path.replace(/:(\w+)/g, '{$1}')}\``
  return documented.find(([requests = '']) => requests.includes(method) && requests.includes(address))?.[1]
}

async function countAudited(): Promise<number> {
  return (await harness.db.selectFrom('audit_logs').select('id').execute()).length
}

for (const version of apiVersions) {
  test(`${version}: every change is made for a key that may, and answers the record`, async () => {
    await harness.reset()
    const [world, askApp] = [await populate(harness, harness.tenant.organizationId), await opened()]
    for (const operation of changes().filter(({ versions }) => versions.includes(version))) {
      const { path, body, shows } = asked(operation, world)
      const key = await harness.addKey([permissionOf(operation)])
      const answer = await askApp(operation.method, path, { version, key, body })
      assert.equal(answer.status, operation.status, `${operation.operationId}: ${JSON.stringify(answer.body)}`)
      if (operation.status !== 204) assert.deepEqual({ ...answer.body, ...shows }, answer.body, operation.operationId)
    }
  })

  test(`${version}: a change that is asked for again does what the documentation says`, async () => {
    await harness.reset()
    const [world, askApp] = [await populate(harness, harness.tenant.organizationId), await opened()]
    const { key } = harness.tenant
    for (const operation of changes().filter(({ versions }) => versions.includes(version))) {
      const { path, body, again = operation.method === 'DELETE' ? 'not_found' : 'nothing' } = asked(operation, world)
      await askApp(operation.method, path, { version, key, body })
      const before = await countAudited()
      const { status, body: answer } = await askApp(operation.method, path, { version, key, body })
      const done = (await countAudited()) > before ? 'audited' : 'nothing'
      assert.equal(status < 400 ? done : answer.error, again, operation.operationId)
      const told = toldOf(operation)
      if (operation.method === 'POST') assert.ok(told, `docs/api.md says nothing of ${operation.operationId}`)
      if (told && status >= 400) assert.ok(told.includes(`\`${again}\``), `${operation.operationId}: ${told}`)
    }
  })

  test(`${version}: no change is made without a key, its permission or the feature, nor for what makes no sense`, async () => {
    await harness.reset()
    const [world, askApp] = [await populate(harness, harness.tenant.organizationId), await opened()]
    const all = Object.keys(permissions) as Permission[]
    for (const operation of changes().filter(({ versions }) => versions.includes(version))) {
      const { path, body, wrong = [] } = asked(operation, world)
      const permission = permissionOf(operation)
      const ask = async (key: string | undefined, sent: unknown = body, headers: Record<string, string> = {}) => {
        const asking = { version, key, body: sent, headers, isWrong: true }
        const { status, body: refusal } = await askApp(operation.method, path, asking)
        return { status, refusal, where: `${operation.operationId}: ${status} ${JSON.stringify(refusal)}` }
      }
      const { key, readOnlyKey } = harness.tenant
      const strangers = await ask(undefined)
      assert.equal(strangers.status, 401, strangers.where)
      for (const lacking of [readOnlyKey, await harness.addKey(all.filter((one) => one !== permission))]) {
        const { status, refusal, where } = await ask(lacking)
        assert.deepEqual([status, refusal.error], [403, 'permission_missing'], where)
        assert.ok(refusal.message.includes(permissions[permission].title), where)
      }
      if (operation.body) {
        for (const one of wrong) {
          const { status, refusal, where } = await ask(key, one)
          assert.equal(status, operation.faultsAreMalformed ? 400 : 422, where)
          assert.ok(refusal.error && refusal.message, where)
        }
        const malformed = await harness.app.inject({
          method: operation.method as 'POST',
          url: path,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          payload: '{"a":',
        })
        assert.equal(malformed.statusCode, 400, operation.operationId)
        const text = await harness.app.inject({
          method: operation.method as 'POST',
          url: path,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
          payload: 'hello',
        })
        assert.equal(text.statusCode, 415, operation.operationId)
      }
      await switchFeature('write_api', false)
      const { status, refusal, where } = await ask(key)
      assert.deepEqual([status, refusal.error], [401, 'feature_unavailable'], where)
      await switchFeature('write_api', true)
    }
  })
}

test('a feature that is off closes its operations, and no others', async () => {
  await harness.reset()
  const world = await populate(harness, harness.tenant.organizationId)
  const reads = harness.app.kit.operations.filter(({ method, access }) => method === 'GET' && access !== 'public')
  for (const feature of Object.keys(features) as Feature[]) {
    await switchFeature(feature, false)
    for (const operation of reads) {
      const version = operation.versions[0] ?? ''
      const { status, body } = await harness.ask('GET', addressOf(operation, world), {
        headers: { 'x-service-api-version': version },
      })
      const isClosed = operation.feature === feature || (feature === 'write_api' && operation.access !== 'read')
      const expected = isClosed ? [401, 'feature_unavailable'] : [200, undefined]
      assert.deepEqual(
        [status, status === 200 ? undefined : body.error],
        expected,
        `${operation.operationId} without ${feature}`,
      )
    }
    await switchFeature(feature, true)
  }
})
