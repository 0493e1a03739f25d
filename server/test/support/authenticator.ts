import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type Faults = { origin?: string; rpId?: string; isUserVerified?: boolean; counter?: number }

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const cborText = (text: string): Buffer => Buffer.concat([Buffer.of(0x60 | text.length), Buffer.from(text)])
const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x59, bytes.length >> 8, bytes.length & 255), bytes])

/** A passkey in software, as a browser hands it to a page of `origin`: WebAuthn §6 with attestation `none`. */
export function openAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  const rpId = new URL(origin).hostname

  const clientData = (type: string, challenge: string, faults: Faults): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: faults.origin ?? origin, crossOrigin: false }))

  function authData(faults: Faults, attested: Buffer = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(faults.counter ?? 0)
    const flags = 0x01 | (faults.isUserVerified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0)
    return Buffer.concat([sha256(faults.rpId ?? rpId), Buffer.of(flags), counter, attested])
  }

  /** COSE (RFC 9053 §7.1): EC2, ES256, P-256. */
  const coseKey = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
  const common = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' }
  return {
    create(challenge: string, faults: Faults = {}) {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, coseKey])
      const attestation = Buffer.concat([
        Buffer.of(0xa3),
        ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.of(0xa0)],
        ...[cborText('authData'), cborBytes(authData(faults, attested))],
      ])
      return {
        ...common,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, faults).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    get(challenge: string, faults: Faults = {}) {
      const data = clientData('webauthn.get', challenge, faults)
      const about = authData(faults)
      return {
        ...common,
        clientExtensionResults: {},
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: about.toString('base64url'),
          signature: sign('sha256', Buffer.concat([about, sha256(data)]), privateKey).toString('base64url'),
        },
      }
    },
  }
}
