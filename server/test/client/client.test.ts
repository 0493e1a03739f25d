import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { listAll } from '@muster/client/list-all.ts'
import { createMusterClient } from '@muster/client/muster-client.ts'
import { MusterError } from '@muster/client/muster-error.ts'
import { testApp } from '../support/app.ts'
import { makeIn } from '../support/make.ts'

const harness = testApp({ env: { MUSTER_RATE_LIMIT_PER_MINUTE: '5' }, rateLimitWindowMs: 900 })
const make = makeIn(harness.database)
let listening: Promise<string> | undefined
const baseUrl = () => (listening ??= harness.app.listen({ host: '127.0.0.1', port: 0 }))

const clientOf = async (apiKey = harness.tenant.key) => createMusterClient({ baseUrl: `${await baseUrl()}/`, apiKey })

test('a read answers a typed record', async () => {
  const client = await clientOf()
  const { data } = await client.GET('/whoami')
  assert.deepEqual(data, { organization_id: harness.tenant.organizationId, organization_name: 'Acme' })
})

test('all pages of a list are walked, with its search, through as many refusals for haste as it takes', async () => {
  const { organizationId } = harness.tenant
  const names = Array.from({ length: 23 }, (_, index) => `Laptop "${index}" 100%`)
  for (const name of names) await make.device(organizationId, { name })
  await make.device(organizationId, { name: 'Desktop' })
  // A key of its own: the limit of five a window is met on the way.
  const client = await clientOf(await harness.addKey())
  const seen: string[] = []
  const query = { per_page: 3, query: 'name~"LAPTOP \\""' }
  for await (const device of listAll(client, '/devices', { query })) seen.push(device.name)
  assert.deepEqual(seen, names)
})

test('lists below a record ask for it, and stop when the caller does', async () => {
  const { organizationId } = harness.tenant
  const person = await make.person(organizationId)
  for (let index = 0; index < 4; index += 1) {
    await make.device(organizationId, { registered_owner_id: person.id, name: `Own ${index}` })
  }
  const client = await clientOf(await harness.addKey())
  const path = { personId: person.id }
  const seen: string[] = []
  for await (const { name } of listAll(client, '/people/{personId}/registered_devices', {
    path,
    query: { per_page: 2 },
  })) {
    seen.push(name)
    if (seen.length === 2) break
  }
  assert.deepEqual(seen, ['Own 0', 'Own 1'])
})

test('a refusal is thrown with its code, its faults and the request to ask about', async () => {
  const client = await clientOf(harness.tenant.readOnlyKey)
  const missing = client.DELETE('/devices/{id}', { params: { path: { id: '1' } } })
  await assert.rejects(missing, (error) => {
    assert.ok(error instanceof MusterError)
    assert.deepEqual([error.status, error.code], [403, 'permission_missing'])
    assert.match(error.message, /Remove Devices/)
    assert.ok(error.requestId)
    return true
  })
  const wrong = client.GET('/devices', { params: { query: { per_page: 1000 } } })
  await assert.rejects(wrong, (error) => {
    assert.ok(error instanceof MusterError)
    assert.deepEqual(error.errors, [{ field: 'per_page', message: 'must be at most 100' }])
    return true
  })
})

/** A server that answers as it is told, one request after the other, and counts them. */
async function told(answers: [status: number, headers: Record<string, string>][]) {
  const methods: string[] = []
  const server = createServer((request, response) => {
    const [status, headers] = answers[methods.length] ?? [200, {}]
    methods.push(request.method ?? '')
    request.resume()
    request.on('end', () => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = (attempts: number) =>
    createMusterClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', retries: { attempts } })
  return { methods, client, close: () => server.close() }
}

test('a body is sent again as it was after a 429, but never after a failure that may have done the work', async () => {
  const busy = await told([[429, { 'retry-after': '0' }]])
  const change = { params: { path: { deviceId: '1' } }, body: { check_id: '2' } }
  await busy.client(2).POST('/devices/{deviceId}/check_refreshes', change)
  assert.deepEqual(busy.methods, ['POST', 'POST'])
  busy.close()
  const down = await told([[503, {}]])
  await assert.rejects(down.client(2).POST('/devices/{deviceId}/check_refreshes', change), MusterError)
  assert.deepEqual(down.methods, ['POST'])
  down.close()
})

test('trying ends after the attempts that it was given, or when a wait would be too long', async () => {
  const busy = await told(Array.from({ length: 9 }, () => [429, { 'retry-after': '0' }]))
  await assert.rejects(busy.client(2).GET('/whoami'), MusterError)
  assert.equal(busy.methods.length, 3)
  busy.close()
  const long = await told([[429, { 'retry-after': '3600' }]])
  await assert.rejects(long.client(2).GET('/whoami'), MusterError)
  assert.equal(long.methods.length, 1)
  long.close()
})
