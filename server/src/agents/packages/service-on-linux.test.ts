import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { scratchRoot, withoutDpkg } from '../../../test/support/scratch-root.ts'
import { packageSource, writePackage } from '../../../test/support/written-packages.ts'
import { exitWithoutNode, nodeLauncher } from './node-launcher.ts'
import type { PackageSource } from './package-builder.ts'

const withoutSystemd = spawnSync('systemd-analyze', ['--version']).error ? 'needs systemd-analyze' : false

async function verifyUnit(t: TestContext, { agent, name }: { agent: PackageSource['agent']; name: string }) {
  const { folder, root, dpkg, run } = await scratchRoot(t)
  await dpkg('-i', await writePackage(folder, packageSource({ agent })))
  // What the unit runs is looked for below the real root.
  const text = await readFile(join(root, `usr/lib/systemd/system/${name}.service`), 'utf8')
  const path = join(folder, `${name}.service`)
  await writeFile(path, text.replace('ExecStart=/usr', `ExecStart=${root}/usr`))
  assert.equal(await run('systemd-analyze', ['verify', '--man=no', path]), '')
  return text
}

test('systemd takes the units of both services', { skip: withoutSystemd || withoutDpkg }, async (t) => {
  for (const [agent, name] of [
    ['muster_companion', 'muster-companion'],
    ['muster_agent', 'muster-agent'],
  ] as const) {
    const text = await verifyUnit(t, { agent, name })
    assert.match(text, /^NoNewPrivileges=yes\nUMask=0077$/m)
    assert.match(text, new RegExp(`^StateDirectory=${name}\nStateDirectoryMode=0700$`, 'm'))
    // What makes a mount namespace would change what the tables of mounts and disks return.
    assert.doesNotMatch(text, /Protect|Private|ReadOnly|Inaccessible/)
  }
})

/** A folder with the launcher of a program that needs Node 22, and a Node that says that it is of this version. */
async function launcherBeside(t: TestContext, version: string) {
  const folder = await mkdtemp(join(tmpdir(), 'launcher-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const node = `#!/bin/sh
[ "$1" = -e ] || { echo "ran $*"; exit; }
exec '${process.execPath}' -e "Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); $2"
`
  await writeFile(join(folder, 'node'), node, { mode: 0o755 })
  const launcher = join(folder, 'launcher')
  await writeFile(launcher, nodeLauncher('a-service', { program: 'folder/program.mjs', lowestNode: 22 }), {
    mode: 0o755,
  })
  return { folder, launcher }
}

test('a launcher takes a Node of the device from the lowest version on, and says which that is', async (t) => {
  const refusal = 'a-service: it needs Node 22 or later: install it, then restart the service\n'
  for (const version of ['9.11.2', '21.7.3', '22.0.0', '26.12.1']) {
    const { folder, launcher } = await launcherBeside(t, version)
    const env = { PATH: `${folder}:/usr/bin:/bin` }
    const { status, stdout, stderr } = spawnSync(launcher, ['status'], { env, encoding: 'utf8' })
    const isTaken = Number.parseInt(version, 10) >= 22
    const wanted = isTaken ? [0, `ran ${folder}/folder/program.mjs status\n`, ''] : [exitWithoutNode, '', refusal]
    assert.deepEqual([status, stdout, stderr], wanted, version)
  }
})

test('a Node that does not run on the computer is said, and no service is started that would fail again and again', async (t) => {
  const { folder, root, run } = await scratchRoot(t)
  const source = packageSource({ agent: 'muster_companion', format: 'tar.gz' })
  await run('tar', ['-xzf', await writePackage(folder, source), '-C', folder])
  await run('sh', [join(folder, 'muster-companion/install.sh')], { DESTDIR: root })
  const home = join(root, 'usr/lib/muster-companion')
  const path = join(home, 'activate')
  // As at /, with no systemd in reach.
  const script = (await readFile(path, 'utf8')).replaceAll('/usr/lib/muster-companion', home)
  const activate = async (node: string) => {
    await rm(join(home, 'bin/node'), { force: true })
    await writeFile(join(home, 'bin/node'), node, { mode: 0o755 })
    return spawnSync('sh', ['-c', script.replaceAll('/run/systemd', join(root, 'none'))], { encoding: 'utf8' })
  }
  const broken = await activate('#!/bin/sh\necho "error while loading shared libraries" >&2\nexit 127\n')
  assert.equal(broken.status, 0)
  assert.match(broken.stderr, /^error while loading shared libraries$/m)
  assert.match(
    broken.stdout,
    /^muster-companion: its Node does not run on this computer, for the reason above: it is for (?:amd64|arm64|all) and needs glibc 2\.28 or later\nmuster-companion: nothing was started: /,
  )
  assert.doesNotMatch(broken.stdout, /systemd/)
  assert.match((await activate('#!/bin/sh\n')).stdout, /^muster-companion: systemd does not run here: /)
})
