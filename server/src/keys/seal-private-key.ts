import type { KeyObject } from 'node:crypto'
import type { Secrets } from '../base/secrets/secrets.ts'
import type { KeyRing } from './key-purposes.ts'

type Place = KeyRing & { kid: string }

const placeOf = ({ organizationId, purpose, kid }: Place) => ['signing_key', organizationId, purpose, kid]
/** Of keys from before organizations had keys of their own. */
const formerPlaceOf = ({ kid }: Place) => ['signing_key', kid]

/** Bound to the organization and the purpose: moved to another row, it opens no more. */
export const sealPrivateKey = (secrets: Secrets, key: KeyObject, place: Place): Buffer =>
  secrets.seal(key.export({ type: 'pkcs8', format: 'der' }), placeOf(place))

/** PKCS #8, DER. Throws an UnsealError. */
export function unsealPrivateKey(secrets: Secrets, sealed: Uint8Array, place: Place): Buffer {
  try {
    return secrets.unseal(sealed, placeOf(place))
  } catch {
    // What is sealed for a place of today does not open here either.
    return secrets.unseal(sealed, formerPlaceOf(place))
  }
}
