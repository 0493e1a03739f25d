import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { generate } from 'selfsigned'
import { companionBundle } from '../../../../bin/bundle-stamp.js'
import { standInMac } from '../../../../test/support/mac-stand-in.ts'
import { madeNode, sha256Of } from '../../../../test/support/made-node.ts'
import { areGone, caCertificate, modeOf, secret } from '../../../../test/support/written-packages.ts'
import { companionScript } from './companion-script.ts'

// What root owns is what the script makes.
const skip = process.getuid?.() === 0 ? false : 'needs root'

const executable = madeNode('darwin-arm64')
const packed = gzipSync(executable)
const arm = { architecture: 'arm64', packedSha256: sha256Of(packed), lowestMacos: '13.5', license: 'Node’s' } as const
const intel = { ...arm, architecture: 'x64', packedSha256: 'b'.repeat(64), lowestMacos: null } as const

type Made = Partial<{
  version: string
  baseUrl: string
  ca: string | null
  nodes: Parameters<typeof companionScript>[2]
}>

async function made({
  version = '1.2.0-1',
  baseUrl = 'https://trust.example.com',
  ca = null,
  nodes = [arm],
}: Made = {}) {
  const { parts, fetches } = await companionScript(version, { baseUrl, caCertificate: ca, secret }, nodes)
  return { text: String(Buffer.concat(parts as Buffer[])), fetches }
}

/** A server that has the parts of the script, and keeps which of them it was asked for. */
function partServer(answer: (bytes: Buffer | undefined) => { status: number; bytes?: Buffer; wait?: number }) {
  const asked: string[] = []
  const parts = new Map<string, Buffer>([[sha256Of(packed), packed]])
  const listener: RequestListener = (request, response) => {
    const hash = request.url?.replace('/package_parts/', '') ?? ''
    asked.push(hash)
    const { status, bytes, wait } = answer(parts.get(hash))
    if (wait !== undefined) response.setHeader('retry-after', wait)
    response.writeHead(status).end(bytes)
  }
  return { asked, parts, listener }
}

const whole = (bytes: Buffer | undefined) => (bytes ? { status: 200, bytes } : { status: 404 })

/** Its address; it is closed with the test. */
async function listenOn(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A script of a server that answers so, at its address. */
async function scriptOf(t: TestContext, answer = whole, changed: Made = {}) {
  const server = partServer(answer)
  const baseUrl = await listenOn(t, createServer(server.listener))
  const { text, fetches } = await made({ baseUrl, ...changed })
  for (const { sha256, bytes } of fetches) if (bytes) server.parts.set(sha256, bytes)
  return { ...server, text, baseUrl }
}

const home = 'opt/muster-companion'
const state = 'Library/Application Support/Muster'

test('the script is one that shells and shellcheck take, and below 15 kB with an authority', async (t) => {
  const { text } = await made({ ca: caCertificate + caCertificate, nodes: [arm, intel] })
  assert.ok(text.length < 15_000, `${text.length} bytes`)
  const parsed = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })
  assert.deepEqual([parsed.status, parsed.stderr], [0, ''])
  const checked = spawnSync('shellcheck', ['-s', 'sh', '-'], { input: text, encoding: 'utf8' })
  if (checked.error) t.diagnostic('shellcheck is not installed')
  else assert.equal(checked.stdout, '')
})

test('what the script fetches holds nothing of the organization', async () => {
  const { text, fetches } = await made({ ca: caCertificate })
  assert.ok(text.includes(secret))
  const others = await companionScript(
    '9.9.9-9',
    { baseUrl: 'https://other.example', caCertificate: null, secret: 'x' },
    [arm],
  )
  assert.deepEqual(fetches, others.fetches)
  assert.deepEqual(
    fetches.map(({ bytes }) => bytes !== undefined),
    [true, false],
  )
})

test('it installs the companion with its Node for root alone, and once', { skip }, async (t) => {
  const mac = standInMac(t)
  const { text, asked } = await scriptOf(t)
  const { status, said } = await mac.runScript(text)
  assert.equal(status, 0, said)
  const place = (path: string) => join(mac.root, path)
  assert.ok((await readFile(place(`${home}/bin/node`))).equals(executable))
  assert.ok((await readFile(place(`${home}/companion.mjs`))).equals(await readFile(companionBundle())))
  assert.equal(await readFile(place(`${home}/bin/LICENSE`), 'utf8'), 'Node’s')
  assert.equal(await readFile(place(`${state}/config/enroll_secret`), 'utf8'), secret)
  for (const [path, mode] of [
    [home, '755'],
    [`${home}/bin/node`, '755'],
    [`${home}/companion.mjs`, '644'],
    [`${home}/uninstall.sh`, '755'],
    [state, '700'],
    [`${state}/config/companion.json`, '600'],
    [`${state}/config/enroll_secret`, '600'],
    [`${state}/config/installed`, '600'],
    ['Library/LaunchDaemons/com.muster.companion.plist', '644'],
  ] as const)
    assert.equal(await modeOf(place(path)), mode, path)
  assert.ok((await mac.calls()).some((line) => line.startsWith('launchctl bootstrap system')))
  assert.equal(asked.length, 2)

  const again = await mac.runScript(text)
  assert.deepEqual([again.status, again.said], [0, 'muster-companion: this version is already installed\n'])
  assert.equal(asked.length, 2)
  assert.ok(!(await mac.calls()).some((line) => line.startsWith('launchctl boot')))

  const removed = mac.run('sh', place(`${home}/uninstall.sh`))
  assert.equal(removed.status, 0, removed.stderr)
  await areGone(mac.root, [home, state, 'Library/LaunchDaemons/com.muster.companion.plist'])
  assert.equal((await mac.runScript(text)).status, 0)
  assert.equal(asked.length, 4)
})

test('nobody else reads what it fetches and writes meanwhile, and nothing is left of it', { skip }, async (t) => {
  const mac = standInMac(t)
  const folders = () => readdirSync('/tmp').filter((name) => name.startsWith('muster-companion.'))
  const before = folders()
  const modes: string[] = []
  const { text } = await scriptOf(t, (bytes) => {
    for (const name of folders().filter((one) => !before.includes(one)))
      modes.push((statSync(join('/tmp', name)).mode & 0o777).toString(8))
    return whole(bytes)
  })
  assert.equal((await mac.runScript(text)).status, 0)
  assert.deepEqual(modes, ['700', '700'])
  assert.deepEqual(folders(), before)
})

test('an upgrade replaces the program and keeps the key', { skip }, async (t) => {
  const mac = standInMac(t)
  const first = await scriptOf(t)
  assert.equal((await mac.runScript(first.text)).status, 0)
  await writeFile(join(mac.root, state, 'companion.json'), 'the key', { mode: 0o600 })
  await writeFile(join(mac.root, home, 'of-the-earlier-one'), '')
  const later = await made({ version: '1.3.0-1', baseUrl: first.baseUrl })
  assert.equal((await mac.runScript(later.text)).status, 0)
  assert.equal(await readFile(join(mac.root, state, 'companion.json'), 'utf8'), 'the key')
  assert.ok(!existsSync(join(mac.root, home, 'of-the-earlier-one')))
  assert.equal(first.asked.length, 4)
})

const refusals: [what: string, answer: typeof whole, said: RegExp][] = [
  ['sends other bytes', () => ({ status: 200, bytes: gzipSync('other') }), /does not match the hash in this script/],
  ['has it no more', () => ({ status: 404 }), /no longer has what this script needs: download the script again/],
  ['fails', () => ({ status: 500, bytes: Buffer.from('no') }), /answered 500: try again later/],
]

for (const [what, answer, expected] of refusals) {
  test(`where the server ${what}, it says so and changes nothing`, { skip }, async (t) => {
    const mac = standInMac(t)
    const { text } = await scriptOf(t, answer)
    // Without the times that curl waits.
    const { status, said } = await mac.runScript(text.replace('--retry 200', '--retry 0'))
    assert.equal(status, 1)
    assert.match(said, expected)
    await areGone(mac.root, [home, state])
    assert.deepEqual(await mac.calls(), [])
  })
}

test('where nothing answers, it tries again before it gives up', { skip }, async (t) => {
  const mac = standInMac(t)
  const { text } = await made({ baseUrl: 'http://127.0.0.1:9' })
  const { status, said } = await mac.runScript(text.replace('--retry 200', '--retry 0'))
  assert.equal(status, 1)
  assert.match(said, /could not be fetched from http:\/\/127\.0\.0\.1:9/)
  assert.deepEqual(await mac.calls(), ['sleep 10', 'sleep 10'])
})

test('it waits as long as a busy server tells it', { skip }, async (t) => {
  const mac = standInMac(t)
  let refusals = 2
  const { text, asked } = await scriptOf(t, (bytes) => {
    refusals -= 1
    return refusals >= 0 ? { status: 429, wait: 1 } : whole(bytes)
  })
  const { status, said } = await mac.runScript(text)
  assert.equal(status, 0, said)
  assert.equal(asked.length, 4)
})

const wrongMacs: [what: string, mac: Parameters<ReturnType<typeof standInMac>['runScript']>[1], said: RegExp][] = [
  ['of another processor', { isArm: false }, /has no program for x86_64: add a runtime/],
  [
    'with an earlier macOS',
    { macos: '13.4.1' },
    /the companion needs macOS 13\.5 or later, and this is macOS 13\.4\.1/,
  ],
]

for (const [what, of, expected] of wrongMacs) {
  test(`a Mac ${what} is told so, and fetches nothing`, { skip }, async (t) => {
    const mac = standInMac(t)
    const { text, asked } = await scriptOf(t)
    const { status, said } = await mac.runScript(text, of)
    assert.equal(status, 1)
    assert.match(said, expected)
    assert.deepEqual(asked, [])
  })
}

for (const macos of ['13.5', '13.5.1', '13.10', '14.0', '26']) {
  test(`macOS ${macos} is late enough`, { skip }, async (t) => {
    const mac = standInMac(t)
    const { text } = await scriptOf(t)
    assert.equal((await mac.runScript(text, { macos })).status, 0)
  })
}

test('of a script that was cut off nothing runs', { skip }, async (t) => {
  const mac = standInMac(t)
  const { text, asked } = await scriptOf(t)
  for (const part of [0.3, 0.6, 0.9, 0.999]) {
    await mac.runScript(text.slice(0, Math.floor(text.length * part)), { isPiped: true })
    assert.deepEqual([asked, await mac.calls()], [[], []])
  }
  assert.equal((await mac.runScript(text, { isPiped: true })).status, 0)
})

test('a server with an authority of its own is checked by the one that the script brings', { skip }, async (t) => {
  const mac = standInMac(t)
  const identity = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  const { listener, parts, asked } = partServer(whole)
  const server = createTlsServer({ key: identity.private, cert: identity.cert }, listener)
  const baseUrl = (await listenOn(t, server)).replace('http://127.0.0.1', 'https://localhost')
  const trusting = await made({ baseUrl, ca: identity.cert })
  for (const { sha256, bytes } of trusting.fetches) if (bytes) parts.set(sha256, bytes)
  const refused = await mac.runScript((await made({ baseUrl })).text)
  assert.equal(refused.status, 1)
  assert.match(refused.said, /cannot check the certificate of https:\/\/localhost:\d+: set MUSTER_TLS_CA_FILE/)
  assert.deepEqual(asked, [])
  const { status, said } = await mac.runScript(trusting.text)
  assert.equal(status, 0, said)
  assert.equal(await readFile(join(mac.root, state, 'config/server-ca.pem'), 'utf8'), identity.cert)
})
