import { randomBytes } from 'node:crypto'
import type { Secrets } from '../../base/secrets/secrets.ts'
import type { TokenPrefix } from '../../base/secrets/token-prefixes.ts'

export type EndpointPlace = { organizationId: string; endpointId: string }

/** Marks what Standard Webhooks calls a symmetric secret; the key is the base64 behind it. */
export const secretPrefix = 'whsec_' satisfies `${TokenPrefix}_`

/** A new secret: `whsec_` and base64 of 32 random bytes. */
export const generateSecret = (): string => secretPrefix + randomBytes(32).toString('base64')

const aad = ({ organizationId, endpointId }: EndpointPlace, what: string) => [organizationId, endpointId, what]

export const sealSecret = (secrets: Secrets, secret: string, place: EndpointPlace): Buffer =>
  secrets.seal(secret, aad(place, 'webhook_secret'))

export const unsealSecret = (secrets: Secrets, sealed: Uint8Array, place: EndpointPlace): string =>
  secrets.unseal(sealed, aad(place, 'webhook_secret')).toString('utf8')

export type CustomHeaders = Readonly<Record<string, string>>

export const sealHeaders = (secrets: Secrets, headers: CustomHeaders, place: EndpointPlace): Buffer =>
  secrets.seal(JSON.stringify(headers), aad(place, 'webhook_headers'))

export const unsealHeaders = (secrets: Secrets, sealed: Uint8Array, place: EndpointPlace): CustomHeaders =>
  JSON.parse(secrets.unseal(sealed, aad(place, 'webhook_headers')).toString('utf8'))
