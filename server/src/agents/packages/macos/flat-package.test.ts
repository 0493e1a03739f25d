import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, inflateSync } from 'node:zlib'
import { type MacComponent, type MacProduct, macProduct } from './flat-package.ts'

const postinstall = { path: 'postinstall', mode: 0o755, content: '#!/bin/sh\nexit 0\n' }
const settings = { path: 'settings.json', mode: 0o600, content: '{"\u00fc":1}' }

const product = (changes: Partial<MacProduct> = {}, component: Partial<MacComponent> = {}): MacProduct => ({
  title: 'Muster <companion> & more',
  hostArchitecture: 'arm64',
  lowestMacos: '13.5',
  createdAt: '2026-11-30T07:11:57.000Z',
  component: {
    identifier: 'com.example.muster-companion',
    version: '1.2.3',
    payload: Buffer.from('the payload'),
    payloadSha1: 'ab'.repeat(20),
    bom: Buffer.from('the bill'),
    numberOfFiles: 12,
    installKBytes: 4711,
    scripts: [postinstall, settings],
    ...component,
  },
  ...changes,
})

/** The files of a product by their names; all names in it differ. */
function filesOf(wanted: MacProduct): Map<string, Buffer> {
  const bytes = Buffer.concat(macProduct(wanted).map((part) => (Buffer.isBuffer(part) ? part : Buffer.alloc(0))))
  const heapAt = 28 + Number(bytes.readBigUInt64BE(8))
  const table = inflateSync(bytes.subarray(28, heapAt)).toString()
  const files = table.matchAll(
    /<name>([^<]*)<\/name><type>file<.*?<length>(\d+)<\/length><offset>(\d+)<.*?<encoding style="([^"]*)"/g,
  )
  return new Map(
    [...files].map(([, name = '', length, offset, style]) => {
      const content = bytes.subarray(heapAt + Number(offset), heapAt + Number(offset) + Number(length))
      return [name, style === 'application/x-gzip' ? inflateSync(content) : content]
    }),
  )
}

const textOf = (wanted: MacProduct, name: string) => filesOf(wanted).get(name)?.toString() ?? ''

/** The entries of a cpio archive. */
function cpioEntries(archive: Buffer) {
  const entries: { name: string; number: string; mode: string; content: string }[] = []
  for (let at = 0; ; ) {
    const header = archive.toString('latin1', at, at + 76)
    const nameAt = at + 76
    const contentAt = nameAt + Number.parseInt(header.slice(59, 65), 8)
    const name = archive.toString('latin1', nameAt, contentAt - 1)
    if (name === 'TRAILER!!!') return entries
    at = contentAt + Number.parseInt(header.slice(65), 8)
    const content = archive.toString('utf8', contentAt, at)
    entries.push({ name, number: header.slice(12, 18), mode: header.slice(18, 24), content })
  }
}

test('a product has its component in a folder, and then the distribution', () => {
  const files = filesOf(product())
  assert.deepEqual([...files.keys()], ['Bom', 'Payload', 'Scripts', 'PackageInfo', 'Distribution'])
  assert.equal(files.get('Payload')?.toString(), 'the payload')
  assert.equal(files.get('Bom')?.toString(), 'the bill')
})

test('the scripts lie beside what they read, with their modes', () => {
  const archive = gunzipSync(filesOf(product()).get('Scripts') ?? '')
  assert.equal(archive.length % 512, 0)
  assert.deepEqual(cpioEntries(archive), [
    { name: '.', number: '000001', mode: '040755', content: '' },
    { name: './postinstall', number: '000002', mode: '100755', content: postinstall.content },
    { name: './settings.json', number: '000003', mode: '100600', content: settings.content },
  ])
  const inFolder = product({}, { scripts: [{ ...settings, path: 'a/b' }] })
  assert.throws(() => macProduct(inFolder), /Not a name for a script/)
})

test('the package names the scripts that are run, and no others', () => {
  assert.equal(
    textOf(product(), 'PackageInfo'),
    `<?xml version="1.0" encoding="utf-8"?>
<pkg-info format-version="2" identifier="com.example.muster-companion" version="1.2.3" install-location="/" auth="root" overwrite-permissions="true">
  <payload numberOfFiles="12" installKBytes="4711"/>
  <scripts>
    <postinstall file="./postinstall"/>
  </scripts>
</pkg-info>
`,
  )
  const both = product({}, { scripts: [postinstall, { ...postinstall, path: 'preinstall' }] })
  assert.match(textOf(both, 'PackageInfo'), /<preinstall file="\.\/preinstall"\/>\s+<postinstall file/)
  assert.doesNotMatch(textOf(product({}, { scripts: [settings] }), 'PackageInfo'), /<scripts>/)
  assert.ok(!filesOf(product({}, { scripts: [] })).has('Scripts'))
})

test('the distribution says which Macs take it, and where the component is', () => {
  const text = textOf(product(), 'Distribution')
  assert.match(text, /<title>Muster &lt;companion&gt; &amp; more<\/title>/)
  assert.match(text, /<options [^>]*rootVolumeOnly="true" hostArchitectures="arm64"\/>/)
  assert.match(text, /<domains enable_anywhere="false" enable_currentUserHome="false" enable_localSystem="true"\/>/)
  assert.match(text, /<allowed-os-versions>\s*<os-version min="13\.5"\/>\s*<\/allowed-os-versions>/)
  assert.match(
    text,
    /<pkg-ref id="com\.example\.muster-companion" version="1\.2\.3" onConclusion="none" installKBytes="4711" auth="root">#com\.example\.muster-companion\.pkg<\/pkg-ref>/,
  )
  assert.match(textOf(product({ hostArchitecture: 'x86_64' }), 'Distribution'), /hostArchitectures="x86_64"/)
  assert.match(textOf(product({}, { identifier: 'a b' }), 'Distribution'), />#a%20b\.pkg</)
  assert.throws(() => macProduct(product({ lowestMacos: 'Ventura' })), /Not a version of macOS/)
})
