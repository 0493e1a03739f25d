import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { generate } from 'selfsigned'
import { scratchRoot, withoutDpkg } from '../../../test/support/scratch-root.ts'
import { agentRuntime } from './agent-runtime.ts'
import { osqueryOnMacos } from './osquery-on-macos.ts'
import { osqueryOnWindows } from './osquery-on-windows.ts'
import { type PackageSource, packageBuilder } from './package-builder.ts'
import { shellWord } from './shell-text.ts'

const caCertificate = (await generate([{ name: 'commonName', value: 'Authority' }])).cert
const secret = 'a-secret-of-forty-three-characters-as-made1'

const source = (changed: Partial<PackageSource> = {}): PackageSource => ({
  organizationId: '1',
  id: '1',
  agent: 'osquery',
  platform: 'linux',
  format: 'deb',
  product_version: '1.2.0',
  build: 1,
  base_url: 'https://trust.example.com',
  ca_certificate: caCertificate,
  enrollment_secret_id: '1',
  built_at: '2026-11-20T10:00:00.000Z',
  ...changed,
})

// The part with Node takes seconds to make, and its name says what it was made of.
const cache = fileURLToPath(new URL('../../../../.cache/agent-packages', import.meta.url))

async function writePackage(folder: string, of: PackageSource, withSecret = secret): Promise<string> {
  const built = await packageBuilder(cache).build(of, withSecret)
  const bytes = await buffer(built.open())
  assert.equal(bytes.length, built.size)
  const path = join(folder, built.fileName)
  await writeFile(path, bytes)
  return path
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)
const linesOf = (text: string): string[] => text.trimEnd().split('\n')

async function holdsTheConfiguration(root: string): Promise<void> {
  const folder = join(root, 'etc/muster-osquery')
  assert.equal(await readFile(join(folder, 'enroll_secret'), 'utf8'), secret)
  assert.equal(await modeOf(join(folder, 'enroll_secret')), '600')
  assert.equal(await readFile(join(folder, 'server-ca.pem'), 'utf8'), caCertificate)
  assert.equal(await modeOf(join(folder, 'osquery.flags')), '644')
  const flags = linesOf(await readFile(join(folder, 'osquery.flags'), 'utf8'))
  for (const flag of [
    '--tls_hostname=trust.example.com',
    '--tls_server_certs=/etc/muster-osquery/server-ca.pem',
    '--enroll_secret_path=/etc/muster-osquery/enroll_secret',
  ])
    assert.ok(flags.includes(flag), flag)
  assert.equal(await readlink(join(root, 'etc/osquery/osquery.flags')), '/etc/muster-osquery/osquery.flags')
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'companion.json'), 'utf8')), {
    server: 'https://trust.example.com',
    enroll_secret_file: 'enroll_secret',
    ca_file: 'server-ca.pem',
  })
  assert.equal(await modeOf(join(root, 'usr/lib/muster-osquery/muster-companion')), '755')
}

const withoutSystemd = spawnSync('systemd-analyze', ['--version']).error ? 'needs systemd-analyze' : false

/** Runs the companion that lies below `root` as its unit does, with osquery's shell at this path, and what it says first. */
async function runCompanionBelow(root: string, folder: string): Promise<string> {
  const run = join(root, 'usr/lib/muster-osquery/muster-companion')
  // Nothing of this project, nor a Node, is in reach but what the package brought.
  const env = { PATH: '/usr/bin:/bin', STATE_DIRECTORY: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const { stdout, stderr } = spawnSync(run, [join(root, 'etc/muster-osquery/companion.json')], {
    ...{ env, cwd: '/', encoding: 'utf8' },
    timeout: 60_000,
  })
  return stdout + stderr
}

test('the Debian package installs, upgrades, and gives back what it found', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg } = await scratchRoot(t)
  const theirs = join(root, 'etc/osquery/osquery.flags')
  await mkdir(dirname(theirs), { recursive: true })
  await writeFile(theirs, '--theirs=true\n')
  const said = await dpkg('-i', await writePackage(folder, source()))
  assert.match(said, /muster-osquery: the flag file that was there is kept as .*osquery\.flags\.before-muster/)
  await holdsTheConfiguration(root)

  await dpkg(
    '-i',
    await writePackage(folder, source({ build: 2, ca_certificate: null }), 'another-secret-of-this-length'),
  )
  assert.equal(await readFile(join(root, 'etc/muster-osquery/enroll_secret'), 'utf8'), 'another-secret-of-this-length')
  assert.doesNotMatch(await readFile(join(root, 'etc/muster-osquery/osquery.flags'), 'utf8'), /tls_server_certs/)

  await dpkg('-r', 'muster-osquery')
  assert.equal(await readFile(theirs, 'utf8'), '--theirs=true\n')
  await dpkg('-P', 'muster-osquery')
  for (const path of [
    'etc/muster-osquery',
    'usr/lib/muster-osquery',
    'usr/lib/systemd/system/muster-companion.service',
  ])
    await assert.rejects(stat(join(root, path)), { code: 'ENOENT' }, path)
  assert.equal((await dpkg('--audit')).trim(), '')
})

type StandIn = { name: string; files?: string[]; postinst?: string }

/** A package in place of one of Debian or of osquery. */
async function standIn(
  { folder, run }: Pick<Awaited<ReturnType<typeof scratchRoot>>, 'folder' | 'run'>,
  { name, files = [], postinst = '#!/bin/sh\n' }: StandIn,
): Promise<string> {
  const tree = join(folder, name)
  await mkdir(join(tree, 'DEBIAN'), { recursive: true })
  const control = `Package: ${name}\nVersion: 5.0\nArchitecture: all\nMaintainer: Nobody <nobody@localhost>\nDescription: stand-in\n`
  await writeFile(join(tree, 'DEBIAN/control'), control)
  await writeFile(join(tree, 'DEBIAN/postinst'), postinst, { mode: 0o755 })
  for (const file of files) {
    await mkdir(dirname(join(tree, file)), { recursive: true })
    await writeFile(join(tree, file), '#!/bin/sh\n')
  }
  const built = join(folder, `${name}.deb`)
  await run('dpkg-deb', ['--root-owner-group', '--build', tree, built])
  return built
}

test('an osquery that is installed later is configured, too', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg, run } = await scratchRoot(t)
  // dpkg runs no trigger of a package that lacks what it depends on.
  for (const name of ['libc6', 'libgcc-s1', 'libstdc++6']) await dpkg('-i', await standIn({ folder, run }, { name }))
  await dpkg('-i', await writePackage(folder, source()))
  const osquery = { name: 'osquery', files: ['opt/osquery/bin/osqueryd'] }
  // What stock osquery's unit does when it starts without a flag file.
  const postinst = '#!/bin/sh\nrm -f "$DPKG_ROOT/etc/osquery/osquery.flags"\n'
  await dpkg('-i', await standIn({ folder, run }, { ...osquery, postinst }))
  await holdsTheConfiguration(root)
})

test('dpkg-deb reads what the Debian package says about itself', { skip: withoutDpkg }, async (t) => {
  const { folder, run } = await scratchRoot(t)
  const file = await writePackage(folder, source({ product_version: '1.3.0-rc.1', build: 7 }))
  const info = await run('dpkg-deb', ['--info', file])
  assert.match(info, /new Debian package, version 2\.0\./)
  assert.match(info, /^ Version: 1\.3\.0~rc\.1-7$/m)
  assert.equal((await run('dpkg', ['--compare-versions', '1.3.0~rc.1-7', 'lt', '1.3.0-8'])).trim(), '')
  const contents = linesOf(await run('dpkg-deb', ['--contents', file])).map((line) => line.split(/\s+/))
  assert.ok(contents.every(([, owner]) => owner === 'root/root'))
  // The program of the companion is that of the bundled agent, which tests of its package look at.
  const ofNode = /^\.\/usr\/lib\/muster-osquery\/(agent|bin|node_modules|LICENSE)/
  assert.deepEqual(
    contents
      .filter(([, , , , , path = '']) => !ofNode.test(path))
      .map(([mode, , , date, , path]) => `${mode} ${path}${date === '2026-11-20' ? '' : ` of ${date}`}`),
    [
      'drwxr-xr-x ./',
      'drwxr-xr-x ./etc/',
      'drwxr-xr-x ./etc/muster-osquery/',
      'drwxr-xr-x ./usr/',
      'drwxr-xr-x ./usr/lib/',
      'drwxr-xr-x ./usr/lib/muster-osquery/',
      'drwxr-xr-x ./usr/lib/systemd/',
      'drwxr-xr-x ./usr/lib/systemd/system/',
      'drwxr-xr-x ./usr/share/',
      'drwxr-xr-x ./usr/share/doc/',
      'drwxr-xr-x ./usr/share/doc/muster-osquery/',
      '-rw-r--r-- ./etc/muster-osquery/osquery.flags',
      '-rw-r--r-- ./etc/muster-osquery/server-ca.pem',
      '-rw------- ./etc/muster-osquery/enroll_secret',
      '-rwxr-xr-x ./usr/lib/muster-osquery/activate',
      '-rwxr-xr-x ./usr/lib/muster-osquery/deactivate',
      '-rw-r--r-- ./etc/muster-osquery/companion.json',
      '-rwxr-xr-x ./usr/lib/muster-osquery/muster-companion',
      '-rw-r--r-- ./usr/lib/systemd/system/muster-companion.service',
      '-rw-r--r-- ./usr/share/doc/muster-osquery/changelog.Debian.gz',
      '-rw-r--r-- ./usr/share/doc/muster-osquery/copyright',
    ],
  )
  const control = join(folder, 'control')
  await run('dpkg-deb', ['--control', file, control])
  await run('dpkg-deb', ['--extract', file, join(folder, 'tree')])
  const checks = await run('sh', [
    '-c',
    'cd "$1" && md5sum -c "$2"',
    'sh',
    join(folder, 'tree'),
    join(control, 'md5sums'),
  ])
  assert.ok(linesOf(checks).length > 50)
  const changelog = await readFile(join(folder, 'tree/usr/share/doc/muster-osquery/changelog.Debian.gz'))
  assert.match(gunzipSync(changelog).toString(), / -- Muster <muster@localhost> {2}Fri, 20 Nov 2026 10:00:00 \+0000$/m)
  for (const script of ['postinst', 'prerm', 'postrm']) await run('sh', ['-n', join(control, script)])
})

test('the Debian package brings a companion that runs with nothing but what it brought', {
  skip: withoutDpkg || (!agentRuntime() && 'needs a Node that runs elsewhere, too'),
}, async (t) => {
  const { folder, root, dpkg } = await scratchRoot(t)
  await dpkg('-i', await writePackage(folder, source({ base_url: 'https://127.0.0.1:9', ca_certificate: null })))
  const said = await runCompanionBelow(root, folder)
  assert.match(said, /^muster-companion: osquery is not installed; the companion asks osqueryi\./)
})

test('systemd takes the services of both packages', { skip: withoutSystemd || withoutDpkg }, async (t) => {
  const { folder, root, dpkg, run } = await scratchRoot(t)
  for (const agent of ['osquery', 'muster_agent'] as const)
    await dpkg('-i', await writePackage(folder, source({ agent })))
  // What the unit runs is looked for below the real root.
  const units = join(folder, 'units')
  await mkdir(units)
  for (const name of ['muster-companion', 'muster-agent']) {
    const unit = await readFile(join(root, `usr/lib/systemd/system/${name}.service`), 'utf8')
    const path = join(units, `${name}.service`)
    await writeFile(path, unit.replace('ExecStart=/usr', `ExecStart=${root}/usr`))
    assert.equal(await run('systemd-analyze', ['verify', '--man=no', path]), '')
    assert.match(unit, /^NoNewPrivileges=yes$/m)
    // What makes a mount namespace would change what the tables of mounts and disks return.
    assert.doesNotMatch(unit, /Protect|Private|ReadOnly|Inaccessible/)
  }
})

test('the archive unpacks, installs below a folder, and is taken away again', async (t) => {
  const { folder, root, run } = await scratchRoot(t)
  await run('tar', ['-xzf', await writePackage(folder, source({ format: 'tar.gz' })), '-C', folder])
  const unpacked = join(folder, 'muster-osquery')
  for (const script of ['install.sh', 'uninstall.sh']) await run('sh', ['-n', join(unpacked, script)])
  const said = await run('sh', [join(unpacked, 'install.sh')], { DESTDIR: root })
  assert.equal(said, `muster-osquery: placed below ${root}; nothing was started\n`)
  await holdsTheConfiguration(root)
  await run('sh', [join(unpacked, 'install.sh')], { DESTDIR: root })
  await holdsTheConfiguration(root)
  await run('sh', [join(unpacked, 'uninstall.sh')], { DESTDIR: root })
  const gone = ['etc/muster-osquery', 'usr/lib/muster-osquery', 'etc/osquery/osquery.flags']
  for (const path of [...gone, 'usr/lib/systemd/system/muster-companion.service'])
    await assert.rejects(stat(join(root, path)), { code: 'ENOENT' }, path)
})

test('the script for macOS places its files, and again over itself', async (t) => {
  const { folder, root, run } = await scratchRoot(t)
  const script = await writePackage(folder, source({ platform: 'darwin', format: 'sh' }))
  for (let turn = 0; turn < 2; turn += 1) await run('sh', [script], { DESTDIR: root })
  const placed = join(root, 'private/var/osquery/muster')
  assert.equal(await readFile(join(placed, 'enroll_secret'), 'utf8'), secret)
  assert.equal(await modeOf(join(placed, 'enroll_secret')), '600')
  assert.equal(await readFile(join(placed, 'server-ca.pem'), 'utf8'), caCertificate)
  const flags = await readFile(join(placed, 'osquery.flags'), 'utf8')
  assert.match(flags, /^--enroll_secret_path=\/private\/var\/osquery\/muster\/enroll_secret$/m)
  assert.equal(
    await readlink(join(root, 'private/var/osquery/osquery.flags')),
    '/private/var/osquery/muster/osquery.flags',
  )
})

// What a shell, PowerShell, or both give a meaning to.
const hostile = `'; touch pwned; '"$(touch pwned)\`touch pwned\`\\\n!! %PATH% $env:x ‘’‚‛ “” ; & | #\r\n--end'@\n'@`

test('no value breaks out of its quotes in a shell', async (t) => {
  for (const value of [hostile, '', "'", "''", '\\', '-n', 'ü☃']) {
    const printed = spawnSync('sh', ['-c', `printf %s ${shellWord(value)}`], { encoding: 'utf8' })
    assert.deepEqual([printed.stdout, printed.stderr], [value, ''])
  }
  assert.throws(() => shellWord('a\0b'), /NUL/)
  const { folder, root, run } = await scratchRoot(t)
  const enrollment = { baseUrl: 'https://trust.example.com', caCertificate: hostile, secret: hostile }
  const script = join(folder, 'install.sh')
  await writeFile(script, osqueryOnMacos('1.2.0-1', enrollment))
  await run('sh', ['-c', 'cd "$1" && sh "$2"', 'sh', folder, script], { DESTDIR: root })
  for (const name of ['enroll_secret', 'server-ca.pem'])
    assert.equal(await readFile(join(root, 'private/var/osquery/muster', name), 'utf8'), hostile)
  await assert.rejects(stat(join(folder, 'pwned')), { code: 'ENOENT' })
})

test('the script for Windows is ASCII in which every value is base64', () => {
  const enrollment = { baseUrl: 'https://trust.example.com', caCertificate: hostile, secret: hostile }
  const script = osqueryOnWindows('1.2.0-1', enrollment)
  assert.match(script, /^[\x20-\x7e\r\n]+$/)
  assert.ok(!script.includes('pwned') && script.split('\n').every((line) => line === '' || line.endsWith('\r')))
  const values = [...script.matchAll(/'([A-Za-z0-9+/]{20,}={0,2})'/g)].map(([, value = '']) =>
    Buffer.from(value, 'base64').toString(),
  )
  assert.deepEqual(values.slice(0, 2), [hostile, hostile])
  assert.match(values[2] ?? '', /^--tls_server_certs=C:\\Program Files\\osquery\\muster\\server-ca\.pem$/m)
  assert.match(script, /icacls\.exe \$path \/inheritance:r \/grant '\*S-1-5-18:R' '\*S-1-5-32-544:F'/)
  // Without the texts between quotes, brackets are in pairs.
  const code = script.replace(/'[^']*'|"[^"]*"/g, '').replace(/#.*/g, '')
  for (const [open, close] of ['()', '{}', '[]']) {
    assert.equal(code.split(open ?? '').length, code.split(close ?? '').length, `${open}${close}`)
  }
  // PowerShell ends a text between single quotes at any of these, too.
  assert.doesNotMatch(script, /[‘’‚‛]/)
})

test('the version and the address are all that the comment of a script shows', () => {
  const script = osqueryOnMacos('1.2.0-1', { baseUrl: 'https://trust.example.com', caCertificate: null, secret })
  assert.equal(
    linesOf(script)[1],
    '# Muster 1.2.0-1: configures osquery so that this Mac enrolls at https://trust.example.com',
  )
  assert.equal(execFileSync('sh', ['-n'], { input: script, encoding: 'utf8' }), '')
})
