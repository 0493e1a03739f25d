import { compactVerify, decodeJwt, decodeProtectedHeader, errors, importJWK } from 'jose'
import type { Reader } from '../../base/db/transact.ts'
import { findPublicKey } from '../../keys/signing-keys.ts'

/**
 * The client that an ID token of the organization was made for (RP-Initiated Logout 1.0 §2): who signed it counts, however long ago
 * it expired or its key was retired. Its issuer may be an address that the organization had before. Undefined for any other text.
 */
export async function clientOfHint(reader: Reader, organizationId: string, hint: string): Promise<string | undefined> {
  try {
    const { kid } = decodeProtectedHeader(hint)
    if (typeof kid !== 'string' || !/^[\w-]{1,64}$/.test(kid)) return undefined
    const jwk = await findPublicKey(reader, { organizationId, purpose: 'oidc' }, kid)
    if (!jwk) return undefined
    await compactVerify(hint, await importJWK({ ...jwk }, 'RS256'), { algorithms: ['RS256'] })
    const { aud } = decodeJwt(hint)
    return typeof aud === 'string' ? aud : undefined
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}
