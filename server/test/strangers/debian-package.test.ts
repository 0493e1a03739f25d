// Party: Debian's installer: mmdebstrap dpkg-deb=dpkg systemd-analyze=systemd
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/muster-process.ts'
import { type DebianRoot, openDebianRoot } from './debian-root.ts'

const project = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
/** For a moment of a test: the smallest package takes minutes. */
const quickly = { ...process.env, DPKG_DEB_COMPRESSOR_TYPE: 'gzip', DPKG_DEB_COMPRESSOR_LEVEL: '1' }
const later = '0.1.1'

let debian: DebianRoot
let release: string

/** It makes a root of its own. */
const withoutRoot = process.getuid?.() === 0 ? false : 'needs root'

before(() => {
  if (withoutRoot) return
  debian = openDebianRoot(['passwd', 'util-linux', 'libstdc++6'])
  release = join(debian.scratch, 'release')
  execFileSync(process.execPath, [project('deploy/release/make-release.ts'), release], { stdio: 'pipe' })
  buildPackage('first.deb')
  const manifest = join(release, 'server/package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, `"version": "${later}"`))
  buildPackage('later.deb')
})

after(() => withoutRoot || debian.close())

function buildPackage(name: string): void {
  const file = join(debian.path, 'packages', name)
  execFileSync('sh', [project('deploy/debian/build.sh'), release, file], { env: quickly, stdio: 'pipe' })
}

const inDebian = (path: string) => join(debian.path, path)
const modeOf = (path: string) => statSync(inDebian(path)).mode & 0o777

test('systemd takes both units, and calls neither of them exposed', () => {
  for (const name of ['muster-server', 'muster-worker']) {
    const unit = project(`deploy/debian/${name}.service`)
    const text = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
      encoding: 'utf8',
    })
    const [, exposure] = /Overall exposure level for \S+: (\d+\.\d)/.exec(text) ?? []
    assert.ok(Number(exposure) <= 3, `${name}: ${exposure}`)
  }
})

test('a package is installed, upgraded and removed, and takes nothing with it but on purge', {
  skip: withoutRoot,
}, async () => {
  assert.match(debian.run('dpkg', '--install', '/packages/first.deb'), /not yet started\. Write its settings/)
  assert.deepEqual([modeOf('etc/muster'), modeOf('etc/muster/muster.env')], [0o750, 0o640])
  assert.equal(modeOf('var/lib/muster'), 0o700)
  assert.match(debian.run('muster', 'doctor', '--json'), /"configuration"/)

  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  appendFileSync(inDebian('etc/muster/muster.env'), `PORT=${port}\nMUSTER_BASE_URL=${address}\n`)
  const first = debian.start('muster', 'serve')
  await first.untilReady(`${address}/readyz`)
  assert.match(await textOf(`${address}/console/`), /<title>Muster<\/title>/)
  assert.equal(debian.run('muster', 'organizations', 'create', 'Example Ltd'), '1\n')
  const [, id = ''] = /^(\d+) +muster-companion-.*\.tar\.gz /m.exec(debian.run('muster', 'packages', 'list')) ?? []
  debian.run('muster', 'packages', 'download', id, '--to', '/tmp/companion.tar.gz')
  const program = 'muster-companion/files/usr/lib/muster-companion/companion.mjs'
  assert.match(debian.run('tar', '-xzOf', '/tmp/companion.tar.gz', `./${program}`), /^import .* from "node:/)
  const written = ['etc/muster/muster.env', 'var/lib/muster/master.key'].map((path) =>
    readFileSync(inDebian(path), 'utf8'),
  )
  await first.stop()

  debian.run('dpkg', '--install', '/packages/later.deb')
  const second = debian.start('muster', 'serve')
  await second.untilReady(`${address}/readyz`)
  assert.equal(JSON.parse(await textOf(`${address}/version`)).version, later)
  assert.match(debian.run('muster', 'organizations', 'list'), /Example Ltd/)
  await second.stop()

  debian.run('dpkg', '--remove', 'muster')
  assert.deepEqual(
    ['opt/muster', 'usr/bin/muster'].map((path) => existsSync(inDebian(path))),
    [false, false],
  )
  const kept = ['etc/muster/muster.env', 'var/lib/muster/master.key'].map((path) =>
    readFileSync(inDebian(path), 'utf8'),
  )
  assert.deepEqual(kept, written)

  debian.run('dpkg', '--purge', 'muster')
  assert.deepEqual(
    ['etc/muster', 'var/lib/muster'].map((path) => existsSync(inDebian(path))),
    [false, false],
  )
  assert.doesNotMatch(readFileSync(inDebian('etc/passwd'), 'utf8'), /^muster:/m)
})

const textOf = async (address: string): Promise<string> => (await fetch(address)).text()
