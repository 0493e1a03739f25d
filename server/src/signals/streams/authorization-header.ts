import { maskedHeaderValue } from '@muster/contract/masked-header-value.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'

type Place = { organizationId: string; streamId: string }

const aad = ({ organizationId, streamId }: Place) => [organizationId, streamId, 'authorization_header']

/** What the service sends as Authorization to the receiver of a stream, as it is stored. */
export const sealAuthorization = (secrets: Secrets, value: string, place: Place): Buffer =>
  secrets.seal(value, aad(place))

export const unsealAuthorization = (secrets: Secrets, sealed: Uint8Array, place: Place): string =>
  secrets.unseal(sealed, aad(place)).toString('utf8')

type Sealed = { organization_id: string; id: string; sealed_authorization_header: Uint8Array | null }

/** Reads what is sent to the receiver of a stream; null: nothing is. */
export const authorizationReader =
  (secrets: Secrets) =>
  ({ organization_id: organizationId, id: streamId, sealed_authorization_header: sealed }: Sealed): string | null =>
    sealed && unsealAuthorization(secrets, sealed, { organizationId, streamId })

/** What a caller is shown of it: a session left open on a desk shows that there is one, and nothing of it. */
export function authorizationShown(secrets: Secrets, { origin }: { origin: 'any' | 'own_pages' }) {
  const read = authorizationReader(secrets)
  if (origin === 'any') return read
  return (stream: Sealed): string | null => (read(stream) === null ? null : maskedHeaderValue)
}
