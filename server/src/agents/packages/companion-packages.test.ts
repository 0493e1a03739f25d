import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import {
  companionTree,
  earlierTree,
  filesBelow,
  companionHome as home,
  writeEarlierTree,
} from '../../../test/support/companion-tree.ts'
import { scratchRoot, withoutDpkg } from '../../../test/support/scratch-root.ts'
import { standIn } from '../../../test/support/stand-in-package.ts'
import {
  areGone,
  caCertificate,
  modeOf,
  ownArchitecture,
  packageSource,
  secret,
  writePackage,
} from '../../../test/support/written-packages.ts'
import type { PackageSource } from './package-builder.ts'
import { debianNames } from './package-files.ts'
import { ownRuntime } from './runtimes/own-runtime.ts'

const companion = (changed: Partial<PackageSource> = {}) => packageSource({ agent: 'muster_companion', ...changed })
const unit = 'usr/lib/systemd/system/muster-companion.service'
const gone = [
  'etc/muster-companion',
  'usr/lib/muster-companion',
  'var/lib/muster-companion',
  'var/cache/muster-companion',
]
const architecture = debianNames[ownArchitecture]

async function holdsTheCompanion(root: string): Promise<void> {
  const folder = join(root, 'etc/muster-companion')
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'companion.json'), 'utf8')), {
    server: 'https://trust.example.com',
    enroll_secret_file: 'enroll_secret',
    ca_file: 'server-ca.pem',
  })
  assert.equal(await readFile(join(folder, 'enroll_secret'), 'utf8'), secret)
  assert.equal(await readFile(join(folder, 'server-ca.pem'), 'utf8'), caCertificate)
  assert.deepEqual(await filesBelow(join(root, home)), companionTree)
  const modes: [path: string, mode: string][] = [
    [join(folder, 'companion.json'), '644'],
    [join(folder, 'enroll_secret'), '600'],
    [join(folder, 'server-ca.pem'), '644'],
    [join(root, home, 'muster-companion'), '755'],
    [join(root, home, 'companion.mjs'), '644'],
    [join(root, unit), '644'],
  ]
  for (const [path, mode] of modes) assert.equal(await modeOf(path), mode, path)
}

/** What the device keeps of a companion that has run. */
async function leaveTraces(root: string): Promise<void> {
  for (const folder of ['var/lib/muster-companion/link', 'var/cache/muster-companion'])
    await mkdir(join(root, folder), { recursive: true })
}

test('the Debian package of the companion installs, upgrades, and leaves nothing', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg, run } = await scratchRoot(t)
  const file = await writePackage(folder, companion())
  assert.match(file, new RegExp(`/muster-companion_1\\.2\\.0-1_${architecture}\\.deb$`))
  const info = await run('dpkg-deb', ['--info', file])
  assert.match(info, new RegExp(`^ Architecture: ${architecture}$`, 'm'))
  assert.match(info, /^ Replaces: muster-osquery\n Conflicts: muster-agent$/m)
  await dpkg('-i', file)
  await holdsTheCompanion(root)
  const sums = await run('sh', ['-c', 'cd "$1" && md5sum -c var/lib/dpkg/info/muster-companion.md5sums', 'sh', root])
  const summed = sums.split('\n').filter((line) => line.startsWith(`${home}/`))
  assert.deepEqual(
    summed.toSorted(),
    companionTree.map((path) => `${home}/${path}: OK`),
  )
  await leaveTraces(root)

  const later = companion({ build: 2, ca_certificate: null })
  await dpkg('-i', await writePackage(folder, later, 'another-secret-of-this-length'))
  assert.equal(
    await readFile(join(root, 'etc/muster-companion/enroll_secret'), 'utf8'),
    'another-secret-of-this-length',
  )
  assert.doesNotMatch(await readFile(join(root, 'etc/muster-companion/companion.json'), 'utf8'), /ca_file/)

  await dpkg('-P', 'muster-companion')
  await areGone(root, [...gone, unit])
  assert.equal((await dpkg('--audit')).trim(), '')
})

test('the archive of the companion installs below a folder, and leaves nothing', async (t) => {
  const { folder, root, run } = await scratchRoot(t)
  const file = await writePackage(folder, companion({ format: 'tar.gz' }))
  assert.match(file, new RegExp(`/muster-companion-1\\.2\\.0-1-linux-${architecture}\\.tar\\.gz$`))
  await run('tar', ['-xzf', file, '-C', folder])
  const unpacked = join(folder, 'muster-companion')
  assert.deepEqual(await filesBelow(join(unpacked, 'files', home)), companionTree)
  await writeEarlierTree(root)
  for (const script of ['install.sh', 'uninstall.sh']) await run('sh', ['-n', join(unpacked, script)])
  const said = await run('sh', [join(unpacked, 'install.sh')], { DESTDIR: root })
  assert.equal(said, `muster-companion: placed below ${root}; nothing was started\n`)
  await holdsTheCompanion(root)
  await leaveTraces(root)
  await run('sh', [join(unpacked, 'uninstall.sh')], { DESTDIR: root })
  await areGone(root, [...gone, unit])
})

test('a package takes the place of an earlier one that brought a tree of files', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg, run } = await scratchRoot(t)
  const earlier = { name: 'muster-companion', version: '1.2.0-0', files: earlierTree }
  await dpkg('-i', await standIn({ folder, run }, earlier))
  assert.deepEqual(await filesBelow(join(root, home)), earlierTree.map((path) => relative(home, path)).toSorted())
  await dpkg('-i', await writePackage(folder, companion()))
  await holdsTheCompanion(root)
  await areGone(
    root,
    ['agent', 'node_modules'].map((name) => join(home, name)),
  )
})

test('the companion is not installed beside the bundled agent, nor that beside it', {
  skip: withoutDpkg,
}, async (t) => {
  const { folder, root, run } = await scratchRoot(t)
  const files = {
    'muster-agent': await writePackage(folder, packageSource({ agent: 'muster_agent' })),
    'muster-companion': await writePackage(folder, companion()),
  }
  const pairs = [
    ['muster-agent', 'muster-companion'],
    ['muster-companion', 'muster-agent'],
  ] as const
  for (const [first, second] of pairs) {
    const { dpkg } = await scratchRoot(t)
    await dpkg('-i', files[first])
    await assert.rejects(dpkg('-i', files[second]), /conflicting packages/)
    await dpkg('-r', first)
    await dpkg('-i', files[second])
  }
  await mkdir(join(root, 'usr/lib/muster-agent'), { recursive: true })
  await run('tar', ['-xzf', await writePackage(folder, companion({ format: 'tar.gz' })), '-C', folder])
  const install = run('sh', [join(folder, 'muster-companion/install.sh')], { DESTDIR: root })
  await assert.rejects(install, /Take muster-agent away first/)
  await areGone(root, gone)
})

test('the companion takes its unit over from an earlier osquery package', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg, run } = await scratchRoot(t)
  const files = [unit, 'usr/lib/muster-osquery/muster-companion']
  await dpkg('-i', await standIn({ folder, run }, { name: 'muster-osquery', version: '1.2.0-0', files }))
  await dpkg('-i', await writePackage(folder, companion()))
  const said = await dpkg('-i', await writePackage(folder, packageSource()))
  assert.doesNotMatch(said, /a package of its own/)
  await holdsTheCompanion(root)
  await areGone(root, ['usr/lib/muster-osquery/muster-companion'])
  await dpkg('-P', 'muster-osquery')
  await holdsTheCompanion(root)
})

test('an osquery that is installed later has the companion started', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg, run } = await scratchRoot(t)
  // dpkg runs no trigger of a package that lacks what it depends on.
  for (const name of ['libc6', 'libgcc-s1', 'libstdc++6']) await dpkg('-i', await standIn({ folder, run }, { name }))
  await dpkg('-i', await writePackage(folder, companion()))
  const osquery = await standIn({ folder, run }, { name: 'osquery', files: ['opt/osquery/bin/osqueryd'] })
  const said = await dpkg('-i', osquery)
  assert.ok(said.includes(`muster-companion: placed below ${root}; nothing was started\n`), said)
})

/** Runs the program of the package below `root` as its unit does, and answers what it says. */
const launcher = (root: string): string => join(root, 'usr/lib/muster-companion/muster-companion')

/** Nothing of this project, nor a Node, is in reach but what the package brought. */
const below = (folder: string) => ({
  env: { PATH: '/usr/bin:/bin', STATE_DIRECTORY: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  cwd: '/',
})

function runBelow(root: string, folder: string, argument: string): string {
  const options = { ...below(folder), encoding: 'utf8', timeout: 60_000 } as const
  const { stdout, stderr } = spawnSync(launcher(root), [argument], options)
  return stdout + stderr
}

test('the companion runs with nothing but what its package brought', {
  skip: withoutDpkg || (!ownRuntime() && 'needs a Node that runs elsewhere, too'),
}, async (t) => {
  const { folder, root, dpkg } = await scratchRoot(t)
  await dpkg('-i', await writePackage(folder, companion({ base_url: 'https://127.0.0.1:9', ca_certificate: null })))
  const waiting = spawn(launcher(root), [join(root, 'etc/muster-companion/companion.json')], below(folder))
  t.after(async () => void waiting.kill('SIGKILL'))
  const ended = once(waiting, 'exit')
  const [said] = await once(waiting.stdout.setEncoding('utf8'), 'data')
  assert.match(said, /^companion: osquery is not installed\. It waits for osquery 5/)
  waiting.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.equal(runBelow(root, folder, 'status'), 'muster-companion: it has not run here yet\n')
})

test('the bundled agent brings the companion in its own program', async (t) => {
  const { folder, run } = await scratchRoot(t)
  const archive = await writePackage(folder, packageSource({ agent: 'muster_agent', format: 'tar.gz' }))
  const listed = (await run('tar', ['-tzf', archive])).split('\n')
  assert.ok(listed.includes('./muster-agent/files/usr/lib/muster-agent/agent/src/companion/run-companion.ts'))
})
