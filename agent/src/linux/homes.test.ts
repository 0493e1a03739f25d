import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { extensionState, extensionsOfHome } from './chrome-extensions.ts'
import { keysOfHome, readKeyFacts } from './ssh-keys.ts'

let home = ''
before(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-home-'))
})
after(() => rmSync(home, { recursive: true }))

function put(path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}

const field = (bytes: Buffer | string) => {
  const content = Buffer.from(bytes as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

/** The envelope that ssh-keygen writes, around nothing. */
function openSshKey(cipher: string, algorithm: string, ...parts: Buffer[]): string {
  const publicKey = Buffer.concat([field(algorithm), ...parts])
  const one = Buffer.from([0, 0, 0, 1])
  const kdf = cipher === 'none' ? 'none' : 'bcrypt'
  const bytes = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field(cipher),
    field(kdf),
    field(''),
    one,
    field(publicKey),
  ])
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`
}

const modulus = Buffer.concat([Buffer.from([0, 0x80]), Buffer.alloc(383, 1)])

test('the envelope of an OpenSSH key tells its cipher, type and size', () => {
  const exponent = field(Buffer.from([1, 0, 1]))
  assert.deepEqual(readKeyFacts(openSshKey('none', 'ssh-rsa', exponent, field(modulus))), {
    encrypted: false,
    type: 'rsa',
    bits: 3072,
  })
  assert.deepEqual(readKeyFacts(openSshKey('aes256-ctr', 'ssh-ed25519')), {
    encrypted: true,
    type: 'ed25519',
    bits: 256,
  })
  assert.deepEqual(readKeyFacts(openSshKey('none', 'ecdsa-sha2-nistp384')), { encrypted: false, type: 'ec', bits: 384 })
  assert.deepEqual(readKeyFacts(openSshKey('none', 'sk-ssh-ed25519@openssh.com'))?.type, 'ed25519')
})

test('keys that OpenSSL writes tell whether they have a passphrase', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const cases = [
    { type: 'pkcs1', secret: false, expected: { encrypted: false, type: 'rsa', bits: 0 } },
    { type: 'pkcs1', secret: true, expected: { encrypted: true, type: 'rsa', bits: 0 } },
    { type: 'pkcs8', secret: false, expected: { encrypted: false, type: '', bits: 0 } },
    { type: 'pkcs8', secret: true, expected: { encrypted: true, type: '', bits: 0 } },
  ] as const
  for (const { type, secret, expected } of cases) {
    const protection = secret ? { cipher: 'aes-256-cbc', passphrase: 'x' } : {}
    const text = privateKey.export({ type, format: 'pem', ...protection }).toString()
    assert.deepEqual(readKeyFacts(text), expected, `${type} ${secret}`)
  }
})

test('what is no private key is not listed', () => {
  put('.ssh/known_hosts', 'host ssh-ed25519 AAAA')
  put('.ssh/id_ed25519.pub', 'ssh-ed25519 AAAA ana')
  put('.ssh/id_ed25519', openSshKey('none', 'ssh-ed25519'))
  put('.ssh/id_rsa', openSshKey('aes256-ctr', 'ssh-rsa', field(Buffer.from([1, 0, 1])), field(modulus)))
  put('.ssh/sub/nested', 'x')
  assert.deepEqual(
    [...keysOfHome(home)],
    [
      { path: `${home}/.ssh/id_ed25519`, encrypted: 0, key_type: 'ed25519', key_length: 256 },
      { path: `${home}/.ssh/id_rsa`, encrypted: 1, key_type: 'rsa', key_length: 3072 },
    ],
  )
  assert.deepEqual([...keysOfHome('/no/such/home')], [])
})

test('extensions are listed with their state, manifest and profile', () => {
  const profile = '.config/google-chrome/Default'
  const id = 'a'.repeat(32)
  const disabled = 'b'.repeat(32)
  const leftOver = 'c'.repeat(32)
  put(
    `${profile}/Preferences`,
    JSON.stringify({ profile: { name: 'Work' }, extensions: { settings: { [id]: { from_webstore: true } } } }),
  )
  put(
    `${profile}/Secure Preferences`,
    JSON.stringify({
      extensions: {
        settings: {
          [id]: { path: `${id}/1.0_0`, install_time: '13300000000000000', state: 1 },
          [disabled]: { manifest: { name: 'Off', version: '2' }, disable_reasons: [1] },
        },
      },
    }),
  )
  const folder = `${profile}/Extensions/${id}/1.0_0`
  put(
    `${folder}/manifest.json`,
    JSON.stringify({ name: '__MSG_appName__', version: '1.0', default_locale: 'en', permissions: ['tabs', 'storage'] }),
  )
  put(`${folder}/_locales/en/messages.json`, JSON.stringify({ appname: { message: 'Nice Extension' } }))
  put(`${profile}/Extensions/${leftOver}/3_0/manifest.json`, JSON.stringify({ name: 'Old', version: '3' }))
  const found = [...extensionsOfHome(home, { remainingMs: () => 1 })]
  assert.deepEqual(
    found.map((row) => [
      row['identifier'],
      row['name'],
      row['version'],
      row['state'],
      row['referenced'],
      row['browser_type'],
    ]),
    [
      [id, 'Nice Extension', '1.0', '1', 1, 'chrome'],
      [disabled, 'Off', '2', '0', 1, 'chrome'],
      [leftOver, 'Old', '3', '', 0, 'chrome'],
    ],
  )
  assert.equal(found[0]?.['permissions'], 'tabs, storage')
  assert.equal(found[0]?.['from_webstore'], 'true')
  assert.equal(found[0]?.['profile'], 'Work')
  assert.equal(found[0]?.['install_timestamp'], 1_655_526_400)
})

test('preferences that cannot be read as JSON are no proof of absence', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'muster-home-'))
  mkdirSync(join(elsewhere, '.config/chromium/Default'), { recursive: true })
  writeFileSync(join(elsewhere, '.config/chromium/Default/Preferences'), '{"half":')
  assert.throws(() => [...extensionsOfHome(elsewhere, { remainingMs: () => 1 })], /is not JSON/)
  rmSync(elsewhere, { recursive: true })
})

test('an extension without state runs unless there are reasons against it', () => {
  assert.equal(extensionState({}), '1')
  assert.equal(extensionState({ disable_reasons: [] }), '1')
  assert.equal(extensionState({ disable_reasons: 1 }), '0')
  assert.equal(extensionState({ state: 0 }), '0')
})
