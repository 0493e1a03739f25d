import { type KeyObject, X509Certificate } from 'node:crypto'
import { dayMs } from '../base/time.ts'

const validDays = 3_650

/**
 * A certificate of a signing key by the key itself (RFC 5280), in DER. It proves nothing more than the key does: it is for
 * verifiers that read keys from certificates only (RFC 7517 §4.7).
 */
export async function certifyKey(keys: { privateKey: KeyObject; publicKey: KeyObject }, now: string): Promise<Buffer> {
  // Few installations need it, and it is large.
  const { generate } = await import('selfsigned')
  const { cert } = await generate([{ name: 'commonName', value: 'Muster sign-in' }], {
    keyPair: {
      privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.parse(now) - dayMs),
    notAfterDate: new Date(Date.parse(now) + validDays * dayMs),
    extensions: [{ name: 'keyUsage', digitalSignature: true, critical: true }],
  })
  return new X509Certificate(cert).raw
}
