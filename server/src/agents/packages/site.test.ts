import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { generate } from 'selfsigned'
import { openPackageSite } from './site.ts'

const baseUrl = 'https://trust.example.com'
const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
const plain = (pem: string) => pem.replaceAll('\r\n', '\n').trim()

test('without a file of the authority, devices trust what their systems do', async () => {
  const site = await openPackageSite({ baseUrl, tlsCaFile: undefined })
  assert.deepEqual(site, { baseUrl, caCertificate: null, productVersion: version })
})

test('of the file, the certificates alone are taken', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-site-'))
  t.after(() => rm(folder, { recursive: true }))
  const tlsCaFile = join(folder, 'ca.pem')
  const [one, two] = await Promise.all(['One', 'Two'].map((value) => generate([{ name: 'commonName', value }])))
  assert.ok(one && two)
  await writeFile(tlsCaFile, `text before\n${one.private}\n${one.cert}\r\ntext between\n${two.cert}`)
  const { caCertificate } = await openPackageSite({ baseUrl, tlsCaFile })
  assert.equal(caCertificate, `${plain(one.cert)}\n${plain(two.cert)}\n`)
  await writeFile(tlsCaFile, one.private)
  await assert.rejects(openPackageSite({ baseUrl, tlsCaFile }), /^Error: MUSTER_TLS_CA_FILE: .* holds no certificate$/)
  const missing = { baseUrl, tlsCaFile: join(folder, 'none.pem') }
  await assert.rejects(openPackageSite(missing), /^Error: MUSTER_TLS_CA_FILE: ENOENT/)
})
