import type { Reader } from '../../base/db/transact.ts'
import type { KeyRing } from '../../keys/key-purposes.ts'
import { listRing } from '../../keys/signing-keys.ts'
import { type Finding, failed, ok } from '../doctor/finding.ts'
import { readOwnDocument } from './read-own-document.ts'

type Asked = { organizationId: string; purpose: KeyRing['purpose']; issuer: string; now: string }

/** Whether callers find the issuer, and the key that signs for it. */
export async function checkIssuer(reader: Reader, { organizationId, purpose, issuer, now }: Asked): Promise<Finding[]> {
  const url = `${issuer}/.well-known/openid-configuration`
  const { issuer: named, jwks_uri: jwksUri } = await readOwnDocument(url)
  if (named !== issuer) {
    return [failed('discovery', `${url} is of another issuer: set MUSTER_BASE_URL of the server to this address`)]
  }
  if (typeof jwksUri !== 'string' || !jwksUri.startsWith(`${issuer}/`)) {
    return [failed('discovery', `${url} names a key set elsewhere: check the proxy in front of Muster`)]
  }
  const { keys } = await readOwnDocument(jwksUri)
  // Read after it was served, because serving makes the first key. What signs is the first of a ring.
  const [signing] = await listRing(reader, { organizationId, purpose }, now)
  const isServed = signing !== undefined && [keys].flat().some((key) => Object(key).kid === signing.kid)
  return [
    ok('discovery', `${issuer} answers`),
    isServed
      ? ok('signing key', `${signing.kid} signs ID tokens, and is in the key set`)
      : failed('signing key', `what signs ID tokens is not in ${jwksUri}: restart the server`),
  ]
}
