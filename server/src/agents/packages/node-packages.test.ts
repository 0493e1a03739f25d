import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { RuntimeSystem } from '@muster/contract/packages.ts'
import { testApp } from '../../../test/support/app.ts'
import { madeNode, packedNode, sha256Of } from '../../../test/support/made-node.ts'
import { scratchRoot, withoutDpkg } from '../../../test/support/scratch-root.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ensureAllPackages, ensurePackages } from './ensure-packages.ts'
import { addRuntime } from './runtimes/add-runtime.ts'
import { ownRuntime } from './runtimes/own-runtime.ts'
import { removeRuntime } from './runtimes/store-runtime.ts'

const site = { baseUrl: 'https://trust.example.com', caCertificate: null, productVersion: '1.2.0' }
const now = '2026-11-20T10:00:00.000Z'
const later = '2026-12-01T10:00:00.000Z'
const folder = await mkdtemp(join(tmpdir(), 'muster-node-packages-'))
after(() => rm(folder, { recursive: true }))
const app = testApp({ env: { MUSTER_DATA_DIR: folder } })

const own = ownRuntime()
/** The processor that this server has no Node for. */
const other = own?.architecture === 'arm64' ? 'x64' : 'arm64'
const otherSystem: RuntimeSystem = `linux-${other}`

beforeEach(() => app.reset())

const ensureAll = (at = now) => ensureAllPackages(app.db, app.secrets, site, at)

async function add(version = '26.1.0', system = otherSystem) {
  const libraries = 'libatomic.so.1'
  const bytes = await packedNode(madeNode(system, { version, libraries, bytes: 1 << 18 }))
  async function* pieces() {
    yield bytes
  }
  const source = { bytes: pieces(), name: 'node.tar.gz', sha256: sha256Of(bytes) }
  const signal = AbortSignal.timeout(60_000)
  await addRuntime({ db: app.db, folder }, { system, source, now, signal, tell: async () => {} })
}

const remove = (system = otherSystem) => transact(app.db, (tx) => removeRuntime(tx, system))

type Shown = { id: string; agent: string; architecture: string; version: string; [field: string]: unknown }

const list = async (query = ''): Promise<Shown[]> =>
  (await app.ask('GET', `/packages?per_page=100${query && `&query=${encodeURIComponent(query)}`}`)).body.data
const forOther = () => list(`architecture:${other}`)
const secretsOf = async (): Promise<string[]> =>
  (await app.db.selectFrom('packages').select('enrollment_secret_id').orderBy('id').execute()).map(
    (row) => row.enrollment_secret_id,
  )
const latestAudit = async (): Promise<string> =>
  (await app.ask('GET', '/audit_logs?per_page=1')).body.data[0].description

async function download(id: string) {
  const key = await app.addKey(['download_packages'])
  return app.app.inject({ url: `/package_downloads/${id}`, headers: { authorization: `Bearer ${key}` } })
}

test('a Node for another processor brings packages of its own to every organization, each with a secret of its own', async () => {
  const globex = await app.addTenant('Globex')
  await ensureAll()
  const before = await list()
  await add()
  assert.equal(await ensureAll(later), 2)
  assert.deepEqual((await list()).slice(0, before.length), before)
  const added = await forOther()
  assert.deepEqual(
    added.map(({ agent, format, node_version: version, file_name: name }) => [agent, format, version, name]),
    [
      ['muster_companion', 'deb', '26.1.0', `muster-companion_1.2.0-1_${other === 'x64' ? 'amd64' : other}.deb`],
      [
        'muster_companion',
        'tar.gz',
        '26.1.0',
        `muster-companion-1.2.0-1-linux-${other === 'x64' ? 'amd64' : other}.tar.gz`,
      ],
      ['muster_agent', 'deb', '26.1.0', `muster-agent_1.2.0-1_${other === 'x64' ? 'amd64' : other}.deb`],
      ['muster_agent', 'tar.gz', '26.1.0', `muster-agent-1.2.0-1-linux-${other === 'x64' ? 'amd64' : other}.tar.gz`],
    ],
  )
  const secrets = await secretsOf()
  assert.deepEqual([secrets.length, new Set(secrets).size], [(before.length + 4) * 2, (before.length + 4) * 2])
  assert.match(
    await latestAudit(),
    new RegExp(
      `^Made the packages "Companion for Linux, ${other} \\(\\.deb\\)", .* with an enrollment secret each\\.$`,
    ),
  )
  assert.equal((await app.ask('GET', '/packages', { key: globex.key })).body.pagination.count, before.length + 4)
  assert.equal(await ensureAll(later), 0)
})

test('packages are searched by agent, platform, format and processor', async () => {
  await add()
  await ensureAll()
  const all = await list()
  const of = async (query: string) => (await list(query)).map(({ id }) => id)
  const where = (fits: (one: Shown) => boolean) => all.filter(fits).map(({ id }) => id)
  assert.deepEqual(
    await of(`architecture:${other}`),
    where(({ architecture }) => architecture === other),
  )
  assert.deepEqual(
    await of('architecture:any'),
    where(({ agent }) => agent === 'osquery'),
  )
  const [one, ...others] = await of(
    `agent:muster_companion AND platform:linux AND format:deb AND architecture:${other}`,
  )
  assert.deepEqual(
    [one, others],
    [
      all.find(
        ({ agent, format, architecture }) => agent === 'muster_companion' && format === 'deb' && architecture === other,
      )?.id,
      [],
    ],
  )
  assert.deepEqual(
    await of('platform:["darwin","windows"]'),
    where(({ platform }) => platform !== 'linux'),
  )
  assert.deepEqual(await of(`id:${one}`), [one])
  assert.equal((await app.ask('GET', '/packages?query=architecture:riscv')).body.error, 'search_invalid')
})

test('another Node makes them again with the secrets that they had', async () => {
  await add()
  await ensureAll()
  const [before, secrets] = [await forOther(), await secretsOf()]
  await add('26.2.0')
  assert.equal(await ensureAll(later), 1)
  assert.deepEqual(
    await forOther(),
    before.map((one) => ({
      ...one,
      ...{ version: '1.2.0-2', built_at: later, node_version: '26.2.0' },
      file_name: String(one['file_name']).replace('1.2.0-1', '1.2.0-2'),
    })),
  )
  assert.deepEqual(await secretsOf(), secrets)
  assert.match(await latestAudit(), /again for version 1\.2\.0 at https:\/\/trust\.example\.com, with Node 26\.2\.0\.$/)
})

test('without their Node packages say what to run, cannot be downloaded, and are as they were once it is there again', async () => {
  await add()
  await ensureAll()
  const before = await forOther()
  const secrets = await secretsOf()
  assert.ok(await remove())
  const problem = `This server has no Node for ${otherSystem}: run muster packages add-runtime ${otherSystem} on it.`
  assert.equal(await ensureAll(later), 0)
  assert.deepEqual(
    await forOther(),
    before.map((one) => ({ ...one, problem })),
  )
  const refused = await download(before[0]?.id ?? '')
  assert.deepEqual([refused.statusCode, refused.json()], [503, { error: 'unavailable', message: problem }])
  assert.match(await latestAudit(), /^(?!Downloaded)/)
  // They keep up with the installation meanwhile.
  const moved = { ...site, productVersion: '1.3.0' }
  await transact(app.db, (tx) =>
    ensurePackages(tx, app.secrets, { site: moved }, systemChange(app.tenant.organizationId, later)),
  )
  await add()
  assert.equal(await ensureAllPackages(app.db, app.secrets, moved, later), 0)
  assert.deepEqual(
    (await forOther()).map(({ id, version, problem: none }) => [id, version, none]),
    before.map(({ id }) => [id, '1.3.0-2', null]),
  )
  assert.deepEqual(await secretsOf(), secrets)
})

test('packages of an earlier version, which did not say their processor, are those with the server’s own Node', {
  skip: !own && 'needs a Node that runs elsewhere, too',
}, async () => {
  await ensureAll()
  const [before, secrets] = [await list(), await secretsOf()]
  await app.db.updateTable('packages').set({ architecture: 'any', node_version: null }).execute()
  await ensureAll(later)
  const programs = ({ agent }: Shown) => agent !== 'osquery'
  assert.deepEqual(
    await list(),
    before.map((one) =>
      programs(one)
        ? {
            ...one,
            version: '1.2.0-2',
            built_at: later,
            file_name: String(one['file_name']).replace('1.2.0-1', '1.2.0-2'),
          }
        : one,
    ),
  )
  assert.deepEqual(await secretsOf(), secrets)
})

test('a server with another Node than before makes its packages again', {
  skip: !own && 'needs a Node that runs elsewhere',
}, async () => {
  await ensureAll()
  await app.db.updateTable('packages').set({ node_version: '24.0.0' }).where('architecture', '!=', 'any').execute()
  assert.equal(await ensureAll(later), 1)
  const programs = (await list()).filter(({ agent }) => agent !== 'osquery')
  for (const { version, node_version: node } of programs) assert.deepEqual([version, node], ['1.2.0-2', own?.version])
})

test('a Node that was added for the server’s own processor is brought in its place, until it is removed', {
  skip: !own && 'needs a Node that runs elsewhere, too',
}, async () => {
  await ensureAll()
  const ids = (await list()).map(({ id }) => id)
  const system: RuntimeSystem = `linux-${own?.architecture ?? 'x64'}`
  const versions = async () =>
    (await list('agent:muster_companion')).map(({ node_version: node, version }) => `${node} in ${version}`)
  await add('26.1.0', system)
  await ensureAll(later)
  assert.deepEqual(await versions(), ['26.1.0 in 1.2.0-2', '26.1.0 in 1.2.0-2'])
  await remove(system)
  await ensureAll(later)
  assert.deepEqual(await versions(), [`${own?.version} in 1.2.0-3`, `${own?.version} in 1.2.0-3`])
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ids,
  )
})

test('the Debian package for another processor holds its Node and license, and names the libraries that it needs', {
  skip: withoutDpkg,
}, async (t) => {
  await add()
  await ensureAll()
  const [companion] = await forOther()
  const answer = await download(companion?.id ?? '')
  assert.equal(answer.statusCode, 200)
  const { folder: place, run } = await scratchRoot(t)
  const file = join(place, 'companion.deb')
  await writeFile(file, answer.rawPayload)
  const field = async (name: string) => (await run('dpkg-deb', ['--field', file, name])).trim()
  assert.equal(await field('Architecture'), other === 'x64' ? 'amd64' : 'arm64')
  assert.equal(await field('Depends'), 'libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6, libatomic1')
  await run('dpkg-deb', ['--extract', file, join(place, 'tree')])
  const home = join(place, 'tree/usr/lib/muster-companion')
  const node = madeNode(otherSystem, { libraries: 'libatomic.so.1', bytes: 1 << 18 })
  assert.ok((await readFile(join(home, 'bin/node'))).equals(node))
  assert.equal(await readFile(join(home, 'bin/LICENSE'), 'utf8'), 'Node’s license')
  await run('dpkg-deb', ['--control', file, join(place, 'control')])
  await run('sh', ['-c', 'cd "$1/tree" && md5sum --check --quiet ../control/md5sums', 'sh', place])
})
