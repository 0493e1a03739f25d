import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import type { Operation } from '../../src/http/operations.ts'
import { baseUrl, testApp } from '../support/app.ts'
import { addressOf } from './addresses.ts'
import { type Ask, askByDocuments } from './ask-by-documents.ts'
import { populate, type World } from './populate.ts'

const harness = testApp()
type Stage = { world: World; strangeWorld: World; ask: Ask }
let opening: Promise<Stage> | undefined

/** Hooks of one file run side by side, so the first test that needs the stage sets it. */
function stage(): Promise<Stage> {
  opening ??= (async () => {
    const world = await populate(harness, harness.tenant.organizationId)
    const stranger = await harness.addTenant('Globex')
    const strangeWorld = await populate(harness, stranger.organizationId)
    return { world, strangeWorld, ask: await askByDocuments(harness.app) }
  })()
  return opening
}

const nobody = '900000000000000001'

const reads = (): Operation[] =>
  harness.app.kit.operations.filter(({ method, access }) => method === 'GET' && access !== 'public')

type Envelope = {
  data: Record<string, unknown>[]
  pagination: Record<'next' | 'current_cursor' | 'next_cursor', string>
}

for (const version of apiVersions) {
  const keyFor = ({ access }: Operation) => (access === 'read' ? harness.tenant.readOnlyKey : harness.tenant.key)
  const asked = () => reads().filter(({ versions }) => versions.includes(version))

  test(`${version}: every read answers what the documents say, of records that are there`, async () => {
    const { world, ask } = await stage()
    for (const operation of asked()) {
      const { status, body } = await ask('GET', addressOf(operation, world), { version, key: keyFor(operation) })
      assert.equal(status, 200, `${operation.operationId}: ${JSON.stringify(body)}`)
      if (operation.search) assert.ok(body.data.length > 0, `${operation.operationId} lists nothing`)
    }
  })

  test(`${version}: a first, a middle and a last page make up each list`, async () => {
    const { world, ask } = await stage()
    for (const operation of asked().filter(({ search }) => search)) {
      const path = addressOf(operation, world)
      const whole: Envelope = (await harness.ask('GET', `${path}?per_page=100`, { headers: version_(version) })).body
      const pages: Envelope[] = []
      for (let next = `${path}?per_page=2`; next !== ''; ) {
        const { body } = await ask('GET', next, { version, key: keyFor(operation) })
        pages.push(body)
        next = body.pagination.next.replace(baseUrl, '')
      }
      assert.ok(
        pages.length >= 3,
        `${operation.operationId} has ${whole.data.length} records, too few for a middle page`,
      )
      assert.deepEqual(
        pages.flatMap(({ data }) => data),
        whole.data,
        operation.operationId,
      )
      assert.equal(pages[0]?.pagination.current_cursor, '')
      assert.equal(pages.at(-1)?.pagination.next_cursor, '')
      assert.equal(pages[1]?.pagination.current_cursor, pages[0]?.pagination.next_cursor)
    }
  })

  test(`${version}: a trailing slash, an empty query and the alias of the version header change nothing`, async () => {
    const { world } = await stage()
    for (const operation of asked()) {
      const path = addressOf(operation, world)
      const plain = await harness.ask('GET', path, { headers: version_(version) })
      const variants = [
        path.replace(/(\?|$)/, '/$1'),
        ...(operation.search ? [`${path}?query=`, `${path}/?query=`] : []),
      ]
      for (const variant of variants) {
        const answer = await harness.ask('GET', variant, { headers: { 'x-kolide-api-version': version } })
        assert.deepEqual([answer.status, answer.body], [200, plain.body], variant)
      }
    }
  })

  test(`${version}: without a key, with a wrong page size and for nobody’s records each read is refused`, async () => {
    const { world, strangeWorld, ask } = await stage()
    for (const operation of asked()) {
      const path = addressOf(operation, world)
      assert.equal((await ask('GET', path, { version, isWrong: true })).status, 401, operation.operationId)
      const wrong = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}per_page=101`, {
        version,
        key: keyFor(operation),
        isWrong: true,
      })
      assert.equal(wrong.status, operation.search ? 422 : 200, operation.operationId)
      if (!operation.path.includes(':') && !path.includes('?')) continue
      const ids = new Proxy(world, { get: () => [nobody] })
      const [foreign, unknown] = await Promise.all(
        [strangeWorld, ids].map((other) =>
          ask('GET', addressOf(operation, other), { version, key: keyFor(operation), isWrong: true }),
        ),
      )
      // Tables go by name, and every organization has the same.
      if (Object.keys(operation.textParams).length > 0) assert.equal(unknown?.status, 404, operation.operationId)
      else assert.equal(foreign?.status, 404, operation.operationId)
      if (foreign?.status === 404) assert.deepEqual(foreign.body, unknown?.body, operation.operationId)
    }
  })
}

const version_ = (version: string) => ({ 'x-service-api-version': version })
