import { columns, type Row, type Table } from '../tables/table.ts'
import { wantedAccounts } from './accounts.ts'
import { isOwnFolder, readOwnText } from './own-files.ts'
import { listDirectory } from './read-files.ts'

type KeyFacts = { encrypted: boolean; type: string; bits: number }

const maxKeyBytes = 64 * 1024

/** Looks at the envelope of a private key file, never at the secret; undefined when the text is none. */
export function readKeyFacts(text: string): KeyFacts | undefined {
  const [, kind = ''] = /-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY)-----/.exec(text) ?? []
  if (kind === '') return undefined
  if (kind === 'OPENSSH PRIVATE KEY') return openSshFacts(text)
  const type = /^(RSA|DSA|EC) /.exec(kind)?.[1]?.toLowerCase()
  // RFC 1421 §4.6.1.1 marks a traditional key, PKCS #8 names it in its label.
  if (type) return { encrypted: /^Proc-Type:\s*4,ENCRYPTED/m.test(text), type, bits: 0 }
  return { encrypted: kind === 'ENCRYPTED PRIVATE KEY', type: '', bits: 0 }
}

/** openssh-key-v1: magic, cipher name, kdf name, kdf options, number of keys, public key. */
function openSshFacts(text: string): KeyFacts | undefined {
  const body = /BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(text)?.[1] ?? ''
  const bytes = Buffer.from(body, 'base64')
  const magic = 'openssh-key-v1\0'
  if (bytes.subarray(0, magic.length).toString('latin1') !== magic) return undefined
  const read = fieldReader(bytes, magic.length)
  const cipher = read().toString('latin1')
  read()
  read()
  read.skip(4)
  const publicKey = fieldReader(read(), 0)
  const algorithm = publicKey().toString('latin1')
  const type = algorithm
    .replace(/^(sk-)?(ssh|ecdsa-sha2)-/, '')
    .replace(/^nistp\d+.*/, 'ec')
    .replace(/@.*/, '')
  const bits = type === 'rsa' ? modulusBits(publicKey) : Number(/nistp(\d+)/.exec(algorithm)?.[1] ?? 256)
  return { encrypted: cipher !== 'none', type: type === 'dss' ? 'dsa' : type, bits }
}

type FieldReader = (() => Buffer) & { skip: (bytes: number) => void }

function fieldReader(bytes: Buffer, start: number): FieldReader {
  let at = start
  const read = () => {
    if (at + 4 > bytes.length) return Buffer.alloc(0)
    const length = bytes.readUInt32BE(at)
    const field = bytes.subarray(at + 4, at + 4 + length)
    at += 4 + length
    return field
  }
  return Object.assign(read, {
    skip(count: number) {
      at += count
    },
  })
}

function modulusBits(publicKey: FieldReader): number {
  publicKey()
  const modulus = publicKey()
  const digits = modulus.toString('hex').replace(/^(00)+/, '')
  return digits === '' ? 0 : BigInt(`0x${digits}`).toString(2).length
}

export const userSshKeys: Table = {
  name: 'user_ssh_keys',
  columns: columns(
    'uid:bigint path encrypted:integer key_type key_group_name key_length:integer key_security_bits:integer',
  ),
  pushed: { uid: 'equal' },
  *collect(constraints) {
    for (const account of wantedAccounts(constraints)) {
      for (const row of keysOfHome(account.directory)) yield { uid: account.uid, ...row }
    }
  },
}

/** The private keys directly in `~/.ssh`. */
export function* keysOfHome(home: string): Iterable<Row> {
  if (!isOwnFolder(home, '.ssh')) return
  for (const name of listDirectory(`${home}/.ssh`)) {
    const facts = readKeyFacts(readOwnText(home, `.ssh/${name}`, maxKeyBytes) ?? '')
    if (!facts) continue
    const { encrypted, type, bits } = facts
    yield { path: `${home}/.ssh/${name}`, encrypted: encrypted ? 1 : 0, key_type: type, key_length: bits || null }
  }
}
