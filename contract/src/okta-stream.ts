import { addressDoubt } from './address-doubt.ts'
import { deliveryMethods } from './delivery-methods.ts'

/** Where Okta takes security event tokens. */
const eventsPath = '/security/api/v1/security-events'
/** Administrators know their organization by the address of its admin console. */
const adminHost = /^([^.]+)-admin(\.(?:okta|oktapreview|okta-emea)\.com)$/

/**
 * The body that creates a stream for an Okta organization: Okta wants the address of the organization for audience, and the
 * subject inside of the event. Undefined for what is not the https address of an organization, such as `acme.okta.com`.
 */
export function oktaStream(organizationUrl: string) {
  const text = organizationUrl.trim().replace(/\/+$/, '')
  const [, host] = /^(?:https:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i.exec(text) ?? []
  if (host === undefined) return undefined
  const origin = `https://${host.toLowerCase().replace(adminHost, '$1$2')}`
  return {
    name: 'Okta',
    aud: origin,
    spec_version: 'draft' as const,
    delivery: { method: deliveryMethods.push, endpoint_url: `${origin}${eventsPath}` },
  }
}

/** What Okta asks for when a stream is received there; `issuer` is the `iss` of the stream. */
export const oktaSettings = ({ iss: issuer }: { readonly iss: string }) => ({
  issuer,
  // A path issuer has its keys below the path (SSF 1.0 §7.2).
  jwksUrl: /^https?:\/\/[^/]+$/.test(issuer) ? `${issuer}/ssf/jwks.json` : `${issuer}/jwks.json`,
})

/** What speaks against an issuer of which Okta fetches the keys over the internet; undefined where nothing does. */
export const oktaDoubt = ({ iss: issuer }: { readonly iss: string }): string | undefined =>
  addressDoubt(issuer, { service: 'Okta' })
