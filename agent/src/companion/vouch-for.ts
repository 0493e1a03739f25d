import { CompactSign, importJWK } from 'jose'
import type { CompanionState } from './companion-state.ts'
import { addressOf } from './signed-requests.ts'

/** The statement of a key that the key of this thumbprint takes its place (docs/companion-protocol.md): a compact JWS. */
export async function vouchFor({ server, kid, privateJwk }: CompanionState, newKid: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const statement = { iss: kid, sub: newKid, aud: addressOf(server, 'enroll'), iat }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(statement)))
    .setProtectedHeader({ alg: 'ES256', typ: 'muster-companion-key+jwt', kid })
    .sign(await importJWK(privateJwk, 'ES256'))
}
