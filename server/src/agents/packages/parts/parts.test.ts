import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { sql } from 'kysely'
import { type Tenant, testApp } from '../../../../test/support/app.ts'
import { standInMac } from '../../../../test/support/mac-stand-in.ts'
import { madeNode, packedNode, sha256Of } from '../../../../test/support/made-node.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { ensureAllPackages } from '../ensure-packages.ts'
import { packagesFolder } from '../packages-folder.ts'
import { rebuildPackage } from '../rebuild-package.ts'
import { addRuntime } from '../runtimes/add-runtime.ts'
import { removeRuntime } from '../runtimes/store-runtime.ts'
import { nameParts } from './keep-parts.ts'

const site = { baseUrl: 'https://trust.example.com', caCertificate: null, productVersion: '1.2.0' }
const now = '2026-11-20T10:00:00.000Z'
const folder = await mkdtemp(join(tmpdir(), 'muster-parts-'))
after(() => rm(folder, { recursive: true }))
const app = testApp({ env: { MUSTER_DATA_DIR: folder } })
const listening = app.ready.then(() => app.app.listen({ port: 0, host: '127.0.0.1' }))

beforeEach(async () => {
  await listening
  await app.reset()
})

async function add(version = '26.1.0', system: RuntimeSystem = 'darwin-arm64', bytesOfNode = 3 << 20) {
  const executable = madeNode(system, { version, bytes: bytesOfNode })
  const bytes = await packedNode(executable)
  async function* pieces() {
    yield bytes
  }
  const source = { bytes: pieces(), name: 'node.tar.gz', sha256: sha256Of(bytes) }
  const signal = AbortSignal.timeout(60_000)
  const cacheDir = await packagesFolder(folder)
  await addRuntime({ db: app.db, folder: cacheDir }, { system, source, now, signal, tell: async () => {} })
  return executable
}

const start = (changed: Partial<typeof site> = {}) =>
  ensureAllPackages(app.db, app.secrets, { ...site, ...changed }, now)

const remove = (system: RuntimeSystem) => transact(app.db, (tx) => removeRuntime(tx, system))

const scriptOf = async ({ key }: Tenant = app.tenant): Promise<{ id: string; [field: string]: unknown }> => {
  const query = encodeURIComponent('agent:muster_companion AND platform:darwin AND format:sh')
  const { body } = await app.ask('GET', `/packages?query=${query}`, { key })
  assert.equal(body.data.length, 1)
  return body.data[0]
}

async function download(of: Tenant = app.tenant): Promise<string> {
  const { id } = await scriptOf(of)
  const answer = await app.app.inject({
    url: `/package_downloads/${id}`,
    headers: { authorization: `Bearer ${of.key}` },
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.body
}

const rebuild = async (of: Tenant = app.tenant) => {
  const { id } = await scriptOf(of)
  await transact(app.db, (tx) => rebuildPackage(tx, app.secrets, { id, site }, systemChange(of.organizationId, now)))
}

/** The hashes of the program and the Node that a script names for a Mac with Apple silicon. */
function namedBy(script: string): [program: string, node: string] {
  const [, program = '', node = ''] = /arm64\)\s+program=(\w+)\s+node=(\w+)/.exec(script) ?? []
  return [program, node]
}

const part = (hash: string) => app.app.inject({ url: `/package_parts/${hash}` })
const statusOf = async (hash: string): Promise<number> => (await part(hash)).statusCode

test('a script is made where there is a Node for Macs, and again when one of them changes', async () => {
  await start()
  assert.equal((await app.ask('GET', '/packages?query=agent:muster_companion%20AND%20format:sh')).body.data.length, 0)
  await add()
  await start()
  const made = await scriptOf()
  assert.deepEqual(
    [made['architecture'], made['node_version'], made['file_name'], made['problem']],
    ['any', null, 'muster-companion-1.2.0-1-macos.sh', null],
  )
  assert.match(await download(), /has no program for \$processor/)
  assert.doesNotMatch(await download(), /x86_64\)/)
  await add('26.1.0', 'darwin-x64')
  await start()
  assert.deepEqual(await scriptOf(), { ...made, version: '1.2.0-2', file_name: 'muster-companion-1.2.0-2-macos.sh' })
  assert.match(await download(), /x86_64\)\s+program=\w{64}/)
  assert.equal(await start(), 0)
  await remove('darwin-x64')
  await remove('darwin-arm64')
  await start()
  const problem = 'This server has no Node for darwin-arm64: run muster packages add-runtime darwin-arm64 on it.'
  assert.equal((await scriptOf())['problem'], problem)
  const { key } = app.tenant
  const refused = await app.ask('GET', `/package_downloads/${made.id}`, { key })
  assert.deepEqual([refused.status, refused.body.message], [503, problem])
})

test('anyone gets what a script names, by its hash and without a session, and it may be kept', async () => {
  const executable = await add()
  await start()
  const [program, node] = namedBy(await download())
  const answer = await part(node)
  assert.equal(answer.statusCode, 200)
  assert.equal(sha256Of(answer.rawPayload), node)
  assert.ok(gunzipSync(answer.rawPayload).equals(executable))
  assert.deepEqual(
    ['content-type', 'content-length', 'etag', 'cache-control', 'x-content-type-options'].map(
      (name) => answer.headers[name],
    ),
    [
      ...['application/gzip', String(answer.rawPayload.length), `"${node}"`],
      ...['public, max-age=31536000, immutable', 'nosniff'],
    ],
  )
  const { rawPayload } = await part(program)
  assert.equal(sha256Of(rawPayload), program)
  const head = await app.app.inject({ method: 'HEAD', url: `/package_parts/${node}` })
  assert.deepEqual(
    [head.statusCode, head.headers['content-length'], head.rawPayload.length],
    [200, String(answer.rawPayload.length), 0],
  )
})

test('what is no hash of a part is not found, whatever it is', async () => {
  await add()
  for (const name of ['a', 'A'.repeat(64), 'b'.repeat(64), '%00', '..%2Fmaster.key', 'b'.repeat(65)])
    assert.equal(await statusOf(name), 404, name)
  assert.equal((await app.app.inject({ method: 'POST', url: `/package_parts/${'b'.repeat(64)}` })).statusCode, 405)
})

test('every organization’s script names the same parts, and no part holds its secret', async () => {
  await add()
  const globex = await app.addTenant('Globex')
  await start()
  const [own, theirs] = [await download(), await download(globex)]
  assert.deepEqual(namedBy(own), namedBy(theirs))
  const secretIn = (script: string) =>
    /printf %s '([^']{20,})' > "\$work\/config\/enroll_secret"/.exec(script)?.[1] ?? ''
  assert.notEqual(secretIn(own), secretIn(theirs))
  const unpacked = gunzipSync((await part(namedBy(own)[0])).rawPayload).toString('latin1')
  for (const secret of [secretIn(own), secretIn(theirs), 'trust.example.com'])
    assert.ok(secret.length > 15 && !unpacked.includes(secret))
})

test('a program is kept from the first script that names it', async () => {
  await add()
  await start()
  assert.equal((await app.db.selectFrom('package_parts').selectAll().execute()).length, 0)
  const [program] = namedBy(await download())
  assert.equal(await statusOf(program), 200)
  const rows = () =>
    app.db
      .selectFrom('packages')
      .select(['fetches', sql<string>`xmin::text`.as('written')])
      .execute()
  const before = await rows()
  await download()
  assert.deepEqual(await rows(), before)
})

test('what a script names stays after other Nodes and versions came, until the package has another secret', async () => {
  const globex = await app.addTenant('Globex')
  const first = await add()
  await start()
  const [program, node] = namedBy(await download())
  await download(globex)
  // Nobody has a script that names this one.
  await add('26.2.0')
  await start()
  const unnamed = await app.db.selectFrom('package_runtimes').select('packed_sha256').executeTakeFirstOrThrow()
  await add('26.3.0')
  await start({ productVersion: '1.3.0' })
  assert.equal(await statusOf(unnamed.packed_sha256), 404)
  const kept = await part(node)
  assert.deepEqual([kept.statusCode, sha256Of(kept.rawPayload)], [200, node])
  assert.ok(gunzipSync(kept.rawPayload).equals(first))
  assert.equal(await statusOf(program), 200)

  await remove('darwin-arm64')
  await start()
  assert.equal(await statusOf(node), 200)
  // As long as anyone's script names it.
  await rebuild()
  await start()
  assert.equal(await statusOf(node), 200)
  await rebuild(globex)
  await start()
  assert.deepEqual([await statusOf(node), await statusOf(program)], [404, 404])
  assert.deepEqual(await app.db.selectFrom('package_parts').select('sha256').execute(), [])
})

test('a script is refused whose Node was replaced while it was made', async () => {
  await add()
  await start()
  const { id } = await scriptOf()
  const named = [{ sha256: 'c'.repeat(64) }]
  const { organizationId } = app.tenant
  await assert.rejects(
    transact(app.db, (tx) => nameParts(tx, { organizationId, id }, named)),
    { code: 'unavailable', message: 'A Node was replaced just now: try again.' },
  )
})

test('a copy of the folder is made again where it is gone, and one of what is kept stays beside it', async () => {
  await add()
  await start()
  const [, node] = namedBy(await download())
  await add('26.2.0')
  await start()
  const [, later] = namedBy(await download())
  await rm(join(folder, 'packages'), { recursive: true, force: true })
  for (const hash of [node, later, node]) assert.equal(await statusOf(hash), 200)
  const copies = (await readdir(join(folder, 'packages'))).filter((name) => name.startsWith('runtime-'))
  assert.deepEqual(copies.toSorted(), [node, later].map((hash) => `runtime-${hash}.gz`).toSorted())
})

const portOf = () => (app.app.server.address() as AddressInfo).port

/** The beginning of an answer, of which nothing is read. */
async function ask(hash: string): Promise<IncomingMessage> {
  const request = get({ port: portOf(), path: `/package_parts/${hash}`, agent: false })
  const [response] = await once(request, 'response')
  return response
}

test('those who do not read hold places of their own network only, and give them back', async () => {
  // More than a connection buffers on both sides: an answer that is read to its end by the kernel holds no place.
  await add('26.1.0', 'darwin-arm64', 24 << 20)
  await start()
  const [, node] = namedBy(await download())
  const held = await Promise.all(Array.from({ length: 32 }, () => ask(node)))
  assert.ok(held.every(({ statusCode }) => statusCode === 200))
  const refused = await ask(node)
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '5'])
  refused.destroy()
  for (const one of held) one.destroy()
  await until(20_000, async () => {
    const answer = await ask(node)
    answer.destroy()
    return answer.statusCode === 200
  })
})

test('those who leave before they are answered hold no place', async () => {
  await add()
  await start()
  const [, node] = namedBy(await download())
  const left = Array.from({ length: 200 }, async (_, at) => {
    const socket = connect(portOf(), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET /package_parts/${node} HTTP/1.1\r\nHost: muster.test\r\n\r\n`)
    // At various steps of the answer.
    for (let turn = 0; turn < at % 20; turn += 1) await nextTurn()
    socket.destroy()
  })
  await Promise.all(left)
  const held: IncomingMessage[] = []
  await until(20_000, async () => {
    for (const one of held.splice(0)) one.destroy()
    for (let place = 0; place < 32; place += 1) held.push(await ask(node))
    return held.every(({ statusCode }) => statusCode === 200)
  })
  for (const one of held) one.destroy()
})

test('the script of an organization installs from the running server, also after the server was upgraded', {
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async (t) => {
  const mac = standInMac(t)
  const executable = await add()
  const baseUrl = `http://127.0.0.1:${portOf()}`
  await start({ baseUrl })
  const script = await download()
  await add('26.2.0')
  await start({ baseUrl, productVersion: '1.3.0' })
  const { status, said } = await mac.runScript(script)
  assert.equal(status, 0, said)
  assert.ok((await readFile(join(mac.root, 'opt/muster-companion/bin/node'))).equals(executable))
  await rebuild()
  await start({ baseUrl })
  await rm(join(mac.root, 'opt/muster-companion'), { recursive: true })
  await rm(join(mac.root, 'Library/Application Support/Muster'), { recursive: true })
  const late = await mac.runScript(script)
  assert.equal(late.status, 1)
  assert.match(late.said, /no longer has what this script needs/)
})
