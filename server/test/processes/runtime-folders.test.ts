import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Package } from '@muster/contract/packages.ts'
import { generateKey } from '../../src/base/secrets/token-format.ts'
import { testOnPostgres } from '../support/database.ts'
import { downloadPackage } from '../support/download-package.ts'
import { giveRuntime, otherSystem, packagesOn } from '../support/given-runtime.ts'
import { sha256Of } from '../support/made-node.ts'
import type { MusterPlace, MusterProcess } from '../support/muster-process.ts'
import { openRunPlace } from '../support/run-place.ts'

const given = await giveRuntime({ after })
const bootstrapped = { MUSTER_BOOTSTRAP_ORGANIZATION: 'Acme', MUSTER_BASE_URL: 'https://muster.example' }
const lack = `This server has no Node for ${otherSystem}: run muster packages add-runtime ${otherSystem} on it.`

async function debianOn(server: MusterProcess, withKey: string): Promise<Package> {
  const found = await packagesOn(server, withKey)
  return found.find((one) => one.agent === 'muster_companion' && one.format === 'deb') ?? assert.fail('no package')
}

async function addOn(on: MusterPlace): Promise<void> {
  const { exit, err } = await on.run(given.adding)
  assert.equal(exit, 0, err)
}

testOnPostgres(
  'servers with folders of their own serve the same bytes, and none once the Node is removed',
  async (t) => {
    const fullKey = generateKey()
    const shared = await openRunPlace(t, { ...bootstrapped, MUSTER_BOOTSTRAP_API_KEY: fullKey })
    const start = (name: string) =>
      shared.start(['serve', '--no-worker'], { MUSTER_DATA_DIR: join(shared.dataDir, '..', name) })
    const servers = await Promise.all([start('one'), start('two')])
    await addOn(shared)
    const answers = async () => {
      const [first, second] = await Promise.all(
        servers.map(async (server) => {
          const { id, problem } = await debianOn(server, fullKey)
          return { problem, ...(await downloadPackage(server, fullKey, id)) }
        }),
      )
      assert.ok(first && second)
      assert.equal(first.status, second.status)
      return [first, second] as const
    }
    const [one, two] = await answers()
    assert.deepEqual([one.status, one.problem, one.etag], [200, null, `"${sha256Of(one.bytes)}"`])
    assert.ok(one.bytes.length > given.executable.length && one.bytes.equals(two.bytes) && one.etag === two.etag)

    assert.equal((await shared.run(['packages', 'remove-runtime', otherSystem])).exit, 0)
    for (const { status, problem, bytes } of await answers()) {
      assert.deepEqual([status, problem, JSON.parse(bytes.toString()).message], [503, lack, lack])
    }
    await addOn(shared)
    for (const again of await answers()) assert.deepEqual([again.etag, again.bytes.equals(one.bytes)], [one.etag, true])
  },
)

testOnPostgres('without a data folder, packages lie where nobody else can put anything', async (t) => {
  const fullKey = generateKey()
  const temporary = join(given.folder, 'temporary')
  await mkdir(temporary)
  const folder = join(temporary, `muster-packages-${process.getuid?.()}`)
  // Below a file nothing can be made, whoever tries.
  const none = '/dev/null/data'
  const settings = { MUSTER_BOOTSTRAP_API_KEY: fullKey, MUSTER_DATA_DIR: none, TMPDIR: temporary }
  const readOnly = await openRunPlace(t, { ...bootstrapped, ...settings })
  const server = await readOnly.start(['serve', '--no-worker'])
  await addOn(readOnly)
  const { id } = await debianOn(server, fullKey)
  const download = () => downloadPackage(server, fullKey, id)
  const first = await download()
  assert.equal(first.status, 200)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  assert.ok((await readdir(folder)).some((name) => name.startsWith('runtime-')))

  const refusal = `Packages cannot be built: neither ${none}/packages nor ${folder} is a folder of this user that can be written. Set MUSTER_DATA_DIR.`
  const isRefused = async () => {
    const { status, bytes } = await download()
    assert.deepEqual([status, JSON.parse(bytes.toString()).message], [503, refusal])
    assert.deepEqual(await readOnly.run(given.adding), { exit: 1, out: '', err: `${refusal}\n` })
  }
  await chmod(folder, 0o777)
  await isRefused()
  await chmod(folder, 0o700)
  assert.ok((await download()).bytes.equals(first.bytes))
  await rename(folder, join(temporary, 'elsewhere'))
  await symlink(join(temporary, 'elsewhere'), folder)
  await isRefused()
  await rm(folder)
  assert.ok((await download()).bytes.equals(first.bytes), 'it is made again')
})
