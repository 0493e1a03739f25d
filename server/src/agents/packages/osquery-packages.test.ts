import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { scratchRoot, withoutDpkg } from '../../../test/support/scratch-root.ts'
import { standIn } from '../../../test/support/stand-in-package.ts'
import {
  areGone,
  caCertificate,
  modeOf,
  secret,
  packageSource as source,
  writePackage,
} from '../../../test/support/written-packages.ts'
import { osqueryOnMacos } from './osquery-on-macos.ts'
import { osqueryOnWindows } from './osquery-on-windows.ts'
import { shellWord } from './shell-text.ts'

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
}

test('the Debian package installs, upgrades, and gives back what it found', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg } = await scratchRoot(t)
  const theirs = join(root, 'etc/osquery/osquery.flags')
  await mkdir(dirname(theirs), { recursive: true })
  await writeFile(theirs, '--theirs=true\n')
  const said = await dpkg('-i', await writePackage(folder, source()))
  assert.match(said, /muster-osquery: the flag file that was there is kept as .*osquery\.flags\.before-muster/)
  assert.match(said, /^muster-osquery: the companion, .*, is a package of its own: muster-companion$/m)
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
  await areGone(root, ['etc/muster-osquery', 'usr/lib/muster-osquery'])
  assert.equal((await dpkg('--audit')).trim(), '')
})

test('an osquery that is installed later is configured, too', { skip: withoutDpkg }, async (t) => {
  const { folder, root, dpkg, run } = await scratchRoot(t)
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
  assert.match(info, /^ Version: 1\.3\.0~rc\.1-7\n Architecture: all$/m)
  assert.match(info, /^ Recommends: muster-companion$/m)
  assert.doesNotMatch(info, /^ (Depends|Conflicts|Replaces):/m)
  assert.equal((await run('dpkg', ['--compare-versions', '1.3.0~rc.1-7', 'lt', '1.3.0-8'])).trim(), '')
  const contents = linesOf(await run('dpkg-deb', ['--contents', file])).map((line) => line.split(/\s+/))
  assert.ok(contents.every(([, owner]) => owner === 'root/root'))
  assert.deepEqual(
    contents.map(([mode, , , date, , path]) => `${mode} ${path}${date === '2026-11-20' ? '' : ` of ${date}`}`),
    [
      'drwxr-xr-x ./',
      'drwxr-xr-x ./etc/',
      'drwxr-xr-x ./etc/muster-osquery/',
      'drwxr-xr-x ./usr/',
      'drwxr-xr-x ./usr/lib/',
      'drwxr-xr-x ./usr/lib/muster-osquery/',
      'drwxr-xr-x ./usr/share/',
      'drwxr-xr-x ./usr/share/doc/',
      'drwxr-xr-x ./usr/share/doc/muster-osquery/',
      '-rw-r--r-- ./etc/muster-osquery/osquery.flags',
      '-rw-r--r-- ./etc/muster-osquery/server-ca.pem',
      '-rw------- ./etc/muster-osquery/enroll_secret',
      '-rwxr-xr-x ./usr/lib/muster-osquery/activate',
      '-rwxr-xr-x ./usr/lib/muster-osquery/deactivate',
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
  assert.equal(linesOf(checks).length, 4)
  const changelog = await readFile(join(folder, 'tree/usr/share/doc/muster-osquery/changelog.Debian.gz'))
  assert.match(gunzipSync(changelog).toString(), / -- Muster <muster@localhost> {2}Fri, 20 Nov 2026 10:00:00 \+0000$/m)
  for (const script of ['postinst', 'prerm', 'postrm']) await run('sh', ['-n', join(control, script)])
})

test('the archive unpacks, installs below a folder, and is taken away again', async (t) => {
  const { folder, root, run } = await scratchRoot(t)
  await run('tar', ['-xzf', await writePackage(folder, source({ format: 'tar.gz' })), '-C', folder])
  const unpacked = join(folder, 'muster-osquery')
  for (const script of ['install.sh', 'uninstall.sh']) await run('sh', ['-n', join(unpacked, script)])
  const said = await run('sh', [join(unpacked, 'install.sh')], { DESTDIR: root })
  assert.match(said, /^muster-osquery: placed below .*; nothing was started\nmuster-osquery: the companion, .*\n$/)
  await holdsTheConfiguration(root)
  await run('sh', [join(unpacked, 'install.sh')], { DESTDIR: root })
  await holdsTheConfiguration(root)
  await run('sh', [join(unpacked, 'uninstall.sh')], { DESTDIR: root })
  await areGone(root, ['etc/muster-osquery', 'usr/lib/muster-osquery', 'etc/osquery/osquery.flags'])
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
