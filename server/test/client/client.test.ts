import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listAll } from '@muster/client/list-all.ts'
import { createMusterClient, type MusterClient } from '@muster/client/muster-client.ts'
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
  const organization = await client.get('/whoami')
  assert.deepEqual(organization, { organization_id: harness.tenant.organizationId, organization_name: 'Acme' })
})

test('the example of the README runs as it is written', async () => {
  const folder = new URL('../../../client/', import.meta.url)
  const example = await readFile(new URL('example.ts', folder), 'utf8')
  assert.ok((await readFile(new URL('README.md', folder), 'utf8')).includes(`\`\`\`ts\n${example}\`\`\`\n`))
  await make.device(harness.tenant.organizationId, { name: 'Studio', device_type: 'Mac' })
  const args = [fileURLToPath(new URL('example.ts', folder)), await baseUrl(), await harness.addKey([])]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  assert.deepEqual([stdout, stderr], ['Acme\nStudio Good\n', 'This key lacks the permission Configure Checks.\n'])
})

test('what the documents do not have does not compile', () => {
  const wrong = [
    (client: MusterClient) => [
      // @ts-expect-error An operation of the console.
      client.get('/views/checks'),
      // @ts-expect-error No parameters.
      client.get('/devices/{id}'),
      // @ts-expect-error A value that the member does not have.
      client.post('/devices/{deviceId}/check_refreshes', { params: { deviceId: '1' }, body: { check: '2' } }),
      // @ts-expect-error No list.
      listAll(client, '/whoami'),
    ],
    // @ts-expect-error A path of the later version.
    (client: MusterClient<'2023-05-26'>) => client.get('/custom_check_drafts'),
  ]
  assert.equal(wrong.length, 2)
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
  const params = { personId: person.id }
  const seen: string[] = []
  for await (const { name } of listAll(client, '/people/{personId}/registered_devices', {
    params,
    query: { per_page: 2 },
  })) {
    seen.push(name)
    if (seen.length === 2) break
  }
  assert.deepEqual(seen, ['Own 0', 'Own 1'])
})

test('a refusal is thrown with its code, its faults and the request to ask about', async () => {
  const client = await clientOf(harness.tenant.readOnlyKey)
  const missing = client.delete('/devices/{id}', { params: { id: '1' } })
  await assert.rejects(missing, (error) => {
    assert.ok(error instanceof MusterError)
    assert.deepEqual([error.status, error.code], [403, 'permission_missing'])
    assert.match(error.message, /Remove Devices/)
    assert.ok(error.requestId)
    return true
  })
  const wrong = client.get('/devices', { query: { per_page: 1000 } })
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
  const change = { params: { deviceId: '1' }, body: { check_id: '2' } }
  await busy.client(2).post('/devices/{deviceId}/check_refreshes', change)
  assert.deepEqual(busy.methods, ['POST', 'POST'])
  busy.close()
  const down = await told([[503, {}]])
  await assert.rejects(down.client(2).post('/devices/{deviceId}/check_refreshes', change), MusterError)
  assert.deepEqual(down.methods, ['POST'])
  down.close()
})

test('trying ends after the attempts that it was given, or when a wait would be too long', async () => {
  const busy = await told(Array.from({ length: 9 }, () => [429, { 'retry-after': '0' }]))
  await assert.rejects(busy.client(2).get('/whoami'), MusterError)
  assert.equal(busy.methods.length, 3)
  busy.close()
  const long = await told([[429, { 'retry-after': '3600' }]])
  await assert.rejects(long.client(2).get('/whoami'), MusterError)
  assert.equal(long.methods.length, 1)
  long.close()
})
