// Party: Linux on arm64: qemu-aarch64=qemu-user /usr/aarch64-linux-gnu/lib/libc.so.6=libc6-arm64-cross /usr/aarch64-linux-gnu/lib/libstdc++.so.6=libstdc++6-arm64-cross /usr/aarch64-linux-gnu/lib/libgcc_s.so.1=libgcc-s1-arm64-cross /usr/aarch64-linux-gnu/lib/libatomic.so.1=libatomic1-arm64-cross dpkg-deb=dpkg
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Package } from '@muster/contract/packages.ts'
import { pinnedRuntimes } from '../../src/agents/packages/runtimes/pinned-runtimes.ts'
import { callLoopback } from '../support/call-loopback.ts'
import { downloadPackage } from '../support/download-package.ts'
import { freePort, type MusterProcess, openPlace, printedKey, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { startPackagedCompanion } from '../support/packaged-companion.ts'

// A server on another processor fetches the Node for arm64 and makes packages of it, and its companion runs there.

const run = promisify(execFile)
const { package: npmPackage, version } = pinnedRuntimes['linux-arm64']
/** What the command says where it reaches no registry. */
const outOfReach =
  /did not answer with the package: (?:its host has no address|nothing listens there|the connection took too long|it was silent for a minute|.*E(?:NET|HOST)UNREACH|.*ECONN)/
const isX64 = process.platform === 'linux' && process.arch === 'x64'

const endings: (() => Promise<void>)[] = []
const { NODE_EXTRA_CA_CERTS } = process.env
// Packages name the address of the server, which trusts the registry as npm does here.
const settings = { PORT: String(await freePort()), ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }) }
const place = openPlace({ after: (work) => void endings.unshift(work) }, settings)
let server: MusterProcess
let folder: string
let key: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'companion-on-arm64-'))
  if (!isX64) return
  server = await place.start(['start', '--no-agent'])
  await printedKey(server)
  const rights = ['--permission', 'download_packages', '--rationale', 'Installs agents']
  const { out } = await place.run(['keys', 'create', 'Packages', ...rights])
  key = /mstr_v1_[0-9A-Za-z]{36}/.exec(out)?.[0] ?? ''
})

after(async () => {
  for (const end of endings) await end()
  await rm(folder, { recursive: true, force: true })
})

async function debianFor(architecture: string): Promise<Package | undefined> {
  const { status, body } = await server.ask('GET', '/packages?per_page=100', { key })
  assert.equal(status, 200)
  const isWanted = (one: Package) => one.agent === 'muster_companion' && one.format === 'deb'
  return body.data.find((one: Package) => isWanted(one) && one.architecture === architecture)
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The package that the server's own devices install, as all of them get it. */
async function ownPackage() {
  const own = (await debianFor('x64')) ?? assert.fail('no package of its own')
  const { status, etag, bytes } = await downloadPackage(server, key, own.id)
  assert.equal(status, 200)
  return { own, etag, hash: createHash('sha256').update(bytes).digest('hex') }
}

/** Unpacks the package for arm64 and returns the folder. */
async function unpack(id: string): Promise<string> {
  const [file, root] = [join(folder, 'companion.deb'), join(folder, 'root')]
  const { exit, err } = await place.run(['packages', 'download', id, '--to', file])
  assert.equal(exit, 0, err)
  const field = async (name: string) => (await run('dpkg-deb', ['--field', file, name])).stdout.trimEnd()
  assert.deepEqual([await field('Package'), await field('Architecture')], ['muster-companion', 'arm64'])
  assert.match(await field('Depends'), /(?:^|, )libatomic1(?:,|$)/)
  await run('dpkg-deb', ['--raw-extract', file, root])
  const sums = (await readFile(join(root, 'DEBIAN/md5sums'), 'utf8')).trimEnd().split('\n')
  assert.ok(sums.some((line) => line.endsWith('  usr/lib/muster-companion/bin/node')))
  const { stdout: checked } = await run('md5sum', ['--check', 'DEBIAN/md5sums'], { cwd: root })
  assert.equal(checked.match(/: OK$/gm)?.length, sums.length)
  return root
}

/** Of the file that npm installs. */
async function hashOfNpm(): Promise<string> {
  const { stdout } = await run('npm', ['pack', `${npmPackage}@${version}`, '--loglevel=error'], { cwd: folder })
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', folder, 'package/bin/node'])
  return hashOf(join(folder, 'package/bin/node'))
}

/** Has the Node that the package brought run on this processor. */
async function emulate(node: string): Promise<void> {
  await rename(node, `${node}-of-arm64`)
  const text = `#!/bin/sh\nexec qemu-aarch64 -L /usr/aarch64-linux-gnu '${node}-of-arm64' "$@"\n`
  await writeFile(node, text, { mode: 0o755 })
  const { stdout } = await run(node, ['--print', 'process.arch + " " + process.version'])
  assert.equal(stdout, `arm64 v${version}\n`)
}

/** The companion of the package, and an osquery node of the same machine, which is enrolled. */
async function machineWith(t: TestContext, root: string) {
  const own = join(folder, 'machine')
  await mkdir(own)
  const machine = { uuid: randomUUID().toUpperCase(), serial: `PF${randomUUID().slice(0, 6).toUpperCase()}` }
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  t.after(async () => client.close())
  const secret = await readFile(join(root, 'etc/muster-companion/enroll_secret'), 'utf8')
  assert.ok((await client.enroll(secret.trim(), machine)).accepted)
  return { client, companion: await startPackagedCompanion(t, { root, folder: own, machine }) }
}

async function worksOnArm64(t: TestContext, root: string): Promise<void> {
  const { client, companion } = await machineWith(t, root)
  await companion.link(client)
  let port = 0
  await until(60_000, async () => {
    port = JSON.parse(await readFile(companion.stateFile, 'utf8')).checkedIn?.port ?? 0
    return port !== 0
  })
  // A page wakes the companion, which then asks the server how it stands.
  const { status, headers } = await callLoopback(port, '/v1/hello', { headers: { origin: server.origin } })
  assert.deepEqual([status, headers['access-control-allow-origin']], [204, server.origin])
  await until(60_000, async () => (await companion.status()).exit === 0, 2_000)
  const { said } = await companion.status()
  assert.match(said, /^ {2}Link {11}linked: it proves this device$/m)
  assert.match(said, new RegExp(`^  Answers {8}at 127\\.0\\.0\\.1:${port}$`, 'm'))
  assert.deepEqual([await companion.stop(), await companion.linkFiles()], [0, []])
}

test('a server on x64 makes a package whose companion works on arm64', {
  skip: !isX64 && 'needs Linux on x64',
}, async (t) => {
  const before = await ownPackage()
  assert.equal(await debianFor('arm64'), undefined)
  const { exit, out, err } = await place.run(['packages', 'add-runtime', 'linux-arm64'])
  if (exit !== 0 && outOfReach.test(err)) return t.skip('the registry of npm is out of reach')
  assert.equal(exit, 0, err)
  assert.match(out, new RegExp(`^Node ${version} is here for linux-arm64\nMade packages for 1 organization`))
  assert.deepEqual(await ownPackage(), before)
  const { id, node_version } = (await debianFor('arm64')) ?? assert.fail('no package for arm64')
  assert.equal(node_version, version)
  const root = await unpack(id)
  const node = join(root, 'usr/lib/muster-companion/bin/node')
  assert.equal(await hashOf(node), await hashOfNpm())
  await emulate(node)
  await worksOnArm64(t, root)
})
