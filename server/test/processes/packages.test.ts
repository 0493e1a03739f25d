import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { readMachineIdentity } from '@muster/agent/linux/machine.ts'
import { freePort, type MusterProcess, printedKey, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { startPackagedCompanion } from '../support/packaged-companion.ts'
import { openRunPlace } from '../support/run-place.ts'
import { scratchRoot, withoutDpkg } from '../support/scratch-root.ts'

type Shown = { id: string; agent: string; format: string; file_name: string; problem: string | null }

// Packages name the address of the server, so that a command has to know its port.
const place = await openRunPlace({ after }, { PORT: String(await freePort()) })
const isLinux = process.platform === 'linux'

function download(trial: MusterProcess, key: string, path: string): Promise<{ etag: string; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = http.get(`${trial.origin}${path}`, { headers: { authorization: `Bearer ${key}` } }, (response) => {
      buffer(response).then((bytes) => resolve({ etag: String(response.headers.etag), bytes }), reject)
    })
    asked.on('error', reject)
  })
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

test('a device enrolls with nothing but a package of the bundled agent', {
  skip: withoutDpkg || (!isLinux && 'needs Linux'),
}, async (t) => {
  const trial = await place.start(['start', '--no-agent'])
  const reading = await printedKey(trial)
  const rights = ['--permission', 'download_packages', '--rationale', 'Installs agents']
  const created = await place.run(['keys', 'create', 'Packages', ...rights])
  const key = /mstr_v1_[0-9A-Za-z]{36}/.exec(created.out)?.[0] ?? assert.fail(created.err)
  const refused = await trial.ask('GET', '/package_downloads/1', { key: reading })
  assert.deepEqual([refused.status, refused.body.error], [403, 'permission_missing'])
  const ask = async (path: string) => (await trial.ask('GET', path, { key })).body
  const packages: Shown[] = (await ask('/packages')).data
  const of = (format: string): Shown =>
    packages.find((one) => one.agent === 'muster_agent' && one.format === format) ?? assert.fail(format)

  /** Runs the agent that lies below `root` as its unit does, for one round, and answers the devices of the server. */
  async function runBelow(root: string, state: string) {
    const run = join(root, 'usr/lib/muster-agent/muster-agent')
    // Nothing of this project, nor a Node, is in reach but what the package brought.
    const env = { PATH: '/usr/bin:/bin', STATE_DIRECTORY: state, NODE_COMPILE_CACHE: join(state, 'cache') }
    const said = execFileSync(run, ['--once', join(root, 'etc/muster-agent/agent.json')], {
      env,
      cwd: '/',
      encoding: 'utf8',
    })
    assert.match(said, /^enrolled$/m)
    return (await ask('/devices')).data
  }

  await t.test('the Debian package, and its agent delivers results', async (t) => {
    const { folder, root, dpkg, run } = await scratchRoot(t)
    const { id, file_name, problem } = of('deb')
    assert.match(problem ?? '', /^Only the server’s own machine reaches http:/)
    const [one, two] = await Promise.all([0, 1].map(() => download(trial, key, `/package_downloads/${id}`)))
    assert.ok(one && two)
    assert.deepEqual([one.etag, sha256(two.bytes)], [`"${sha256(one.bytes)}"`, sha256(one.bytes)])
    const file = join(folder, file_name)
    await writeFile(file, one.bytes)
    await dpkg('-i', file)
    const secret = join(root, 'etc/muster-agent/enroll_secret')
    assert.equal(((await stat(secret)).mode & 0o777).toString(8), '600')
    const installed = await readdir(join(root, 'usr/lib/muster-agent'), { recursive: true })
    assert.deepEqual(
      installed.filter((name) => /\.test\.ts$|simulate|test-server/.test(name)),
      [],
    )
    assert.ok(installed.includes('agent/src/companion/run-companion.ts'))
    const sums = await run('sh', ['-c', 'cd "$1" && md5sum -c var/lib/dpkg/info/muster-agent.md5sums', 'sh', root])
    assert.ok(sums.trimEnd().split('\n').length > 50)

    const [device, ...others] = await runBelow(root, folder)
    assert.ok(device && others.length === 0)
    const { data: results } = await ask(`/devices/${device.id}/check_results?per_page=100`)
    assert.ok(results.some(({ status }: { status: string }) => status === 'passing'))
    // Only the data that is for no device in particular is kept on the disk.
    const kept = await readdir(join(place.dataDir, 'packages'), { recursive: true })
    assert.deepEqual(
      kept
        .map((name) =>
          name
            .split('/')
            .at(-1)
            ?.replace(/[0-9a-f]{16}/, '…'),
        )
        .toSorted(),
      ['agent-…-deb', 'contents.json', 'contents.json', 'node-…-gz', 'part.gz', 'part.gz'],
    )

    await dpkg('-P', 'muster-agent')
    for (const path of ['etc/muster-agent', 'usr/lib/muster-agent'])
      await assert.rejects(stat(join(root, path)), { code: 'ENOENT' }, path)
  })

  await t.test('the archive, written by the command line beside the running server', async (t) => {
    const { folder, root, run } = await scratchRoot(t)
    const { id, file_name } = of('tar.gz')
    const file = join(folder, file_name)
    const { exit, err } = await place.run(['packages', 'download', id, '--to', file])
    assert.deepEqual([exit, err.split('\n')[0]], [0, file_name])
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal(sha256((await download(trial, key, `/package_downloads/${id}`)).bytes), sha256(await readFile(file)))
    assert.equal((await place.run(['packages', 'download', id, '--to', file])).exit, 1)
    assert.equal((await place.run(['packages', 'download', '99', '--to', join(folder, 'none')])).exit, 5)
    await assert.rejects(stat(join(folder, 'none')), { code: 'ENOENT' })
    await run('tar', ['-xzf', file, '-C', folder])
    await run('sh', [join(folder, 'muster-agent/install.sh')], { DESTDIR: root })
    // This machine again: the device is the one that it was, where the machine can be told from others.
    assert.equal((await runBelow(root, folder)).length, readMachineIdentity() === '' ? 2 : 1)
    await run('sh', [join(folder, 'muster-agent/uninstall.sh')], { DESTDIR: root })
    for (const path of ['usr/lib/muster-agent', 'usr/lib/systemd/system/muster-agent.service', 'etc/muster-agent'])
      await assert.rejects(stat(join(root, path)), { code: 'ENOENT' }, path)
  })

  await t.test('the package of the companion, which the node of its machine links', async (t) => {
    const { folder, root, dpkg } = await scratchRoot(t)
    const beside = packages.filter(({ agent, format }) => agent !== 'muster_agent' && format === 'deb')
    assert.deepEqual(
      beside.map(({ agent }) => agent),
      ['osquery', 'muster_companion'],
    )
    for (const { id, file_name } of beside) {
      const file = join(folder, file_name)
      await writeFile(file, (await download(trial, key, `/package_downloads/${id}`)).bytes)
      await dpkg('-i', file)
    }
    const machine = { uuid: '4C4C4544-0042-3510-8056-00000000C0DE', serial: 'PF00C0DE' }
    const client = osqueryClient(trial.origin.replace('localhost', '127.0.0.1'))
    t.after(async () => client.close())
    const secret = (await readFile(join(root, 'etc/muster-osquery/enroll_secret'), 'utf8')).trim()
    assert.ok((await client.enroll(secret, machine)).accepted)
    const companion = await startPackagedCompanion(t, { root, folder, machine })
    await companion.link(client)
    const audits = () => ask('/audit_logs?per_page=100')
    await until(30_000, async () =>
      (await audits()).data.some(({ description }: { description: string }) => /^Linked a companion/.test(description)),
    )
    assert.equal(((await stat(companion.stateFile)).mode & 0o777).toString(8), '600')
    const { said } = await companion.status()
    assert.match(said, /^Companion of http:.*\n {2}State file {5}.*companion\.json, mode 0600\n/)
    assert.deepEqual([await companion.stop(), await companion.linkFiles()], [0, []])
  })

  await t.test('the command line lists packages, and a rebuild ends the copies of one', async () => {
    const listed = (await place.run(['packages', 'list'])).out.trimEnd().split('\n')
    assert.equal(listed.length, packages.length + 1)
    assert.match((await place.run(['packages', 'build'])).out, /^Made 0 packages and brought 0 up to date$/m)
    const { out } = await place.run(['packages', 'rebuild', of('deb').id])
    assert.match(out, /^Made muster-agent_\d+\.\d+\.\d+-2_\w+\.deb; copies of the earlier one enroll no more$/m)
    const secrets = (await place.run(['enrollment-secrets', 'list'])).out
    assert.match(secrets, /Package Muster agent for Linux(?:, (?:x64|arm64))? \(\.deb\) .* revoked /)
  })
  assert.equal(await trial.stop(), 0)
})
