import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { companionBundle } from '../../../../bin/bundle-stamp.js'
import { macPackages } from '../../../../test/support/made-mac-package.ts'
import { madeNode } from '../../../../test/support/made-node.ts'
import { readBom } from '../../../../test/support/read-bom.ts'
import { readCpio, readXar } from '../../../../test/support/read-flat-package.ts'
import { caCertificate, secret } from '../../../../test/support/written-packages.ts'
import { posixCksum } from './posix-cksum.ts'

function sumOf(bytes: Buffer): number {
  const sum = posixCksum()
  sum.update(bytes)
  return sum.digest()
}

test('sums are those of cksum, however the bytes come', () => {
  assert.equal(sumOf(Buffer.alloc(0)), 4_294_967_295)
  assert.equal(sumOf(Buffer.from('123456789')), 930_766_865)
  const pieces = posixCksum()
  for (const piece of ['1234', '', '56789']) pieces.update(Buffer.from(piece))
  assert.equal(pieces.digest(), 930_766_865)
})

const part = (files: Map<string, Buffer>, name: string): Buffer => files.get(name) ?? assert.fail(`no ${name}`)

const home = './opt/muster-companion'

test('a package for a Mac holds its program, its Node as it is, and what the organization has', async (t) => {
  const packages = macPackages(t)
  const built = await packages.build({}, secret)
  assert.equal(built.fileName, 'muster-companion-1.2.0-1-macos-arm64.pkg')
  assert.equal(built.mediaType, 'application/x-xar')
  const { toc, files } = readXar(await packages.bytes({}, secret))
  assert.match(toc, /<name>com\.muster\.companion\.pkg<\/name>/)
  assert.deepEqual([...files.keys()], ['Bom', 'Payload', 'Scripts', 'PackageInfo', 'Distribution'])
  const payload = readCpio(part(files, 'Payload'))
  assert.deepEqual(
    [...payload.keys()],
    [
      ...['.', './opt', home, `${home}/bin`, `${home}/licenses`, `${home}/licenses/jose`],
      ...[`${home}/companion.mjs`, `${home}/LICENSE`, `${home}/licenses/jose/LICENSE.md`],
      ...[`${home}/bin/LICENSE`, `${home}/bin/node`],
    ],
  )
  for (const [path, { mode, uid, gid }] of payload) {
    assert.deepEqual([uid, gid], [0, 0])
    const isRun = path === `${home}/bin/node`
    const isFolder = (mode & 0o170000) === 0o040000
    assert.equal(mode & 0o7777, isFolder || isRun ? 0o755 : 0o644, path)
  }
  assert.ok(payload.get(`${home}/bin/node`)?.content.equals(packages.executable))
  assert.ok(payload.get(`${home}/companion.mjs`)?.content.equals(await readFile(companionBundle())))
  const scripts = readCpio(part(files, 'Scripts'))
  assert.equal(scripts.get('./enroll_secret')?.content.toString(), secret)
  assert.equal((scripts.get('./enroll_secret')?.mode ?? 0) & 0o777, 0o600)
  assert.equal(scripts.get('./server-ca.pem')?.content.toString(), caCertificate)
  assert.deepEqual(JSON.parse(String(scripts.get('./companion.json')?.content)), {
    ...{ server: 'https://trust.example.com', enroll_secret_file: 'enroll_secret', ca_file: 'server-ca.pem' },
  })
  assert.equal((scripts.get('./postinstall')?.mode ?? 0) & 0o777, 0o755)
})

test('its Bom lists what it installs, breadth first, with the sums of cksum', async (t) => {
  const packages = macPackages(t)
  const { files } = readXar(await packages.bytes({}, secret))
  const payload = readCpio(part(files, 'Payload'))
  const listed = readBom(part(files, 'Bom'))
  assert.deepEqual(listed.map(({ path }) => path).toSorted(), [...payload.keys()].toSorted())
  const depths = listed.map(({ path }) => path.split('/').length)
  assert.deepEqual(
    depths,
    depths.toSorted((a, b) => a - b),
  )
  for (const { path, mode, size, cksum, uid, gid } of listed) {
    const { content, mode: wanted } = payload.get(path) ?? assert.fail(path)
    const isFolder = (wanted & 0o170000) === 0o040000
    assert.deepEqual([mode, size, uid, gid, cksum], [wanted, content.length, 0, 0, isFolder ? 0 : sumOf(content)], path)
  }
  const info = part(files, 'PackageInfo').toString()
  const blocks = [...payload.values()].reduce((total, { content }) => total + Math.ceil(content.length / 512), 0) + 5
  assert.match(info, new RegExp(`numberOfFiles="${payload.size}" installKBytes="${Math.ceil(blocks / 2)}"`))
  assert.match(info, /version="1\.2\.0-1" install-location="\/" auth="root"/)
})

test('it says the one processor and the lowest macOS of its Node', async (t) => {
  const executables = { arm64: madeNode('darwin-arm64'), x64: madeNode('darwin-x64') }
  for (const [architecture, named] of [
    ['arm64', 'arm64'],
    ['x64', 'x86_64'],
  ] as const) {
    const { files } = readXar(await macPackages(t, executables[architecture]).bytes({ architecture }, secret))
    const said = part(files, 'Distribution').toString()
    assert.match(said, new RegExp(`hostArchitectures="${named}"`))
    assert.match(said, /<os-version min="13\.5"\/>/)
    assert.match(said, /<domains enable_anywhere="false" enable_currentUserHome="false" enable_localSystem="true"\/>/)
    assert.match(said, /rootVolumeOnly="true"/)
  }
})

test('two hundred organizations at once share the payload, and each has its own secret and no other’s', async (t) => {
  const packages = macPackages(t)
  await packages.build({}, secret)
  const numbers = Array.from({ length: 200 }, (_, index) => String(index + 1))
  const secretOf = (organizationId: string) => `secret-of-organization-${organizationId.padStart(4, '0')}`
  const built = await Promise.all(
    numbers.map((organizationId) => packages.build({ organizationId, id: organizationId }, secretOf(organizationId))),
  )
  const payloads = new Set<string>()
  for (const [index, one] of built.entries()) {
    const bytes: Buffer[] = []
    for await (const piece of one.open()) bytes.push(piece as Buffer)
    const { files } = readXar(Buffer.concat(bytes))
    payloads.add(part(files, 'Payload').toString('base64', 0, 64))
    const scripts = [...readCpio(part(files, 'Scripts')).values()].map(({ content }) => content.toString()).join('\n')
    assert.deepEqual(scripts.match(/secret-of-organization-\d+/g), [secretOf(String(index + 1))])
  }
  assert.equal(payloads.size, 1)
  assert.equal(new Set(built.map(({ sha256 }) => sha256)).size, 200)
})

test('a Node that cannot be unpacked fails the download, and nothing of it is kept', async (t) => {
  const broken = macPackages(t)
  const path = join(broken.folder, 'node.gz')
  const packed = gzipSync(broken.executable)
  await writeFile(path, packed.subarray(0, packed.length - 100_000))
  await assert.rejects(broken.build({}, secret), /unexpected end of file/)
  assert.deepEqual(await readdir(join(broken.folder, 'packages')), [])
  await writeFile(path, packed)
  await broken.build({}, secret)
})
