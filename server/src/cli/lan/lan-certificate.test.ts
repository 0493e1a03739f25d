import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { osqueryFlags } from '../../agents/packages/osquery-flags.ts'
import { openLanCertificate } from './lan-certificate.ts'
import { findLanNames, lanHost } from './lan-names.ts'

const names = {
  hosts: ['laptop', 'laptop.local', 'localhost'],
  addresses: ['192.168.7.20', 'fd00::20', '127.0.0.1', '::1'],
}
const now = new Date().toISOString()
const inDays = (days: number) => new Date(Date.parse(now) + days * 86_400_000).toISOString()

async function makeDataDir(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-lan-'))
  t.after(() => rm(folder, { recursive: true }))
  return join(folder, 'data')
}

const read = async (file: string) => new X509Certificate(await readFile(file))

test('a certificate for every name and address is signed by an authority of its own', async (t) => {
  const dataDir = await makeDataDir(t)
  const { certFile, keyFile, caFile } = await openLanCertificate(dataDir, names, now)
  const [certificate, authority] = [await read(certFile), await read(caFile)]
  for (const host of names.hosts) assert.equal(certificate.checkHost(host), host)
  for (const address of names.addresses) assert.equal(certificate.checkIP(address), address)
  assert.equal(certificate.checkIP('192.168.7.21'), undefined)
  assert.ok(certificate.verify(authority.publicKey) && authority.ca && !certificate.ca)
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.equal((Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 86_400_000, 397)
  assert.equal((await stat(keyFile)).mode & 0o777, 0o600)
  assert.equal((await stat(join(dataDir, 'lan-ca.key'))).mode & 0o777, 0o600)
  assert.deepEqual((await readdir(dataDir)).toSorted(), ['lan-ca.key', 'lan-ca.pem', 'lan.key', 'lan.pem'])
})

test('a client that trusts the authority connects, and one that does not refuses', async (t) => {
  const { certFile, keyFile, caFile } = await openLanCertificate(await makeDataDir(t), names, now)
  const server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) }, (socket) =>
    socket.end(),
  )
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ca = await readFile(caFile)
  for (const servername of ['localhost', 'laptop.local']) {
    const socket = connect({ host: '127.0.0.1', port, ca, servername })
    await once(socket, 'secureConnect')
    assert.ok(socket.authorized)
    socket.destroy()
  }
  const byAddress = connect({ host: '127.0.0.1', port, ca })
  await once(byAddress, 'secureConnect')
  byAddress.destroy()
  await assert.rejects(once(connect({ host: '127.0.0.1', port }), 'secureConnect'), /certificate/)
})

test('certificate and authority are used again while they are valid and fit', async (t) => {
  const dataDir = await makeDataDir(t)
  const { certFile, caFile } = await openLanCertificate(dataDir, names, now)
  const [cert, ca] = [await readFile(certFile, 'utf8'), await readFile(caFile, 'utf8')]
  const openAt = async (at: string, known = names) => {
    await openLanCertificate(dataDir, known, at)
    return { isSame: (await readFile(certFile, 'utf8')) === cert, isSameCa: (await readFile(caFile, 'utf8')) === ca }
  }
  assert.deepEqual(await openAt(inDays(300)), { isSame: true, isSameCa: true })
  assert.deepEqual(await openAt(now, { ...names, addresses: ['192.168.7.20'] }), { isSame: true, isSameCa: true })
  assert.deepEqual(await openAt(now, { ...names, addresses: ['10.0.0.9'] }), { isSame: false, isSameCa: true })
  assert.deepEqual(await openAt(inDays(370)), { isSame: false, isSameCa: true })
  assert.deepEqual(await openAt(inDays(3640)), { isSame: false, isSameCa: false })
})

test('a damaged or mixed-up pair is replaced', async (t) => {
  const dataDir = await makeDataDir(t)
  const files = await openLanCertificate(dataDir, names, now)
  await writeFile(files.keyFile, await readFile(join(dataDir, 'lan-ca.key')))
  await openLanCertificate(dataDir, names, now)
  await writeFile(files.caFile, 'damaged')
  await openLanCertificate(dataDir, names, now)
  const [certificate, authority] = [await read(files.certFile), await read(files.caFile)]
  assert.ok(certificate.verify(authority.publicKey))
})

test('the names of this machine include what it calls itself, and each address once', () => {
  const found = findLanNames()
  assert.ok(
    found.hosts.includes('localhost') && found.addresses.includes('127.0.0.1') && found.addresses.includes('::1'),
  )
  assert.equal(new Set(found.addresses).size, found.addresses.length)
  assert.ok(found.addresses.every((address) => !address.startsWith('fe80')))
})

test('other machines are given an address outside, in the form of a URL', () => {
  assert.equal(lanHost(names), '192.168.7.20')
  assert.equal(lanHost({ hosts: ['laptop'], addresses: ['fd00::20', '::1'] }), '[fd00::20]')
  assert.equal(lanHost({ hosts: ['laptop', 'localhost'], addresses: ['127.0.0.1', '::1'] }), 'laptop')
})

test('the flag file has one flag on each line and points at the given files', () => {
  const flags = osqueryFlags({
    authority: '192.168.7.20:8443',
    caFile: '/etc/osquery/muster-ca.pem',
    enrollSecretFile: '/etc/osquery/muster-enroll-secret',
  })
  for (const line of flags.trimEnd().split('\n')) assert.match(line, /^--[a-z_]+=[^\s"']+$/)
  assert.match(flags, /^--tls_hostname=192\.168\.7\.20:8443$/m)
  assert.match(flags, /^--tls_server_certs=\/etc\/osquery\/muster-ca\.pem$/m)
  assert.match(flags, /^--enroll_secret_path=\/etc\/osquery\/muster-enroll-secret$/m)
  assert.match(flags, /^--disable_distributed=false$/m)
})
