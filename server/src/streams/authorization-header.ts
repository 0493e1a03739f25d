import type { Secrets } from '../secrets/secrets.ts'

type Place = { organizationId: string; streamId: string }

const aad = ({ organizationId, streamId }: Place) => [organizationId, streamId, 'authorization_header']

/** What the service sends as Authorization to the receiver of a stream, as it is stored. */
export const sealAuthorization = (secrets: Secrets, value: string, place: Place): Buffer =>
  secrets.seal(value, aad(place))

export const unsealAuthorization = (secrets: Secrets, sealed: Uint8Array, place: Place): string =>
  secrets.unseal(sealed, aad(place)).toString('utf8')
