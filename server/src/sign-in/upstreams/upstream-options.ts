import type { FieldError } from '@muster/contract/errors.ts'
import { fail } from '../../base/errors.ts'
import type { Upstream } from './upstream-queries.ts'

export type UpstreamOptions = {
  name: string
  /** What an ID token has to say of the provider's own customer. */
  tenant?: { claim: string; value: string } | null
  /** People's addresses have to be in one of these; ASCII. */
  emailDomains?: readonly string[]
  /** Whether someone of these domains whom it vouches for and nobody knows is added as a person. */
  createsPeople?: boolean
  /** Whether people who sign out are signed out there first: our address for it is registered there. */
  signsOut?: boolean
}

export const googleIssuer = 'https://accounts.google.com'

const entraIssuer =
  /^https:\/\/login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)\/([0-9a-f-]{36})\/v2\.0$/i
/** Of every private Microsoft account. */
const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** What is wrong with the issuer of a product, in words that follow "must"; undefined when nothing is. */
export function faultOfProductIssuer(provider: Upstream['provider'], issuer: string): string | undefined {
  if (provider !== 'entra') return undefined
  const tenant = entraIssuer.exec(issuer)?.[3]?.toLowerCase()
  if (tenant !== undefined && tenant !== consumerTenant) return undefined
  return 'be of one tenant: https://login.microsoftonline.com/<tenant ID>/v2.0. common, organizations and consumers are of many'
}

/**
 * The columns of what an administrator wants of an upstream. Fails with invalid, by field. Google signs in everyone: there
 * the tenant is required. Microsoft says of no address that it is verified: there the domains are.
 */
export function wantedOptions(
  provider: Upstream['provider'],
  { name, tenant = null, emailDomains = [], createsPeople = false, signsOut = false }: UpstreamOptions,
) {
  const domains = emailDomains.map(foldDomain)
  const errors: FieldError[] = domains.flatMap((domain) =>
    isDomain(domain)
      ? []
      : [{ field: 'email_domains', message: `must be domains in their ASCII form, such as example.com: ${domain}` }],
  )
  if (provider === 'google' && tenant?.claim !== 'hd') {
    errors.push({ field: 'tenant', message: 'must name your Google Workspace domain as the claim hd' })
  }
  if (provider === 'entra' && domains.length === 0) {
    errors.push({
      field: 'email_domains',
      message: 'must name your domains: Microsoft says of no address that it is verified',
    })
  }
  if (createsPeople && domains.length === 0) {
    errors.push({ field: 'creates_people', message: 'needs the domains whose people are added: give email_domains' })
  }
  if (errors.length > 0) fail('invalid', { errors })
  return {
    name,
    tenant_claim: tenant?.claim ?? null,
    tenant_value: tenant?.value ?? null,
    email_domains: [...new Set(domains)],
    creates_people: createsPeople,
    signs_out: signsOut,
  }
}

/** Fails with invalid where people are to be signed out at a provider that has no address for it. */
export function requireSignOut(signsOut: boolean | undefined, endSessionEndpoint: string | null): void {
  if (!signsOut || endSessionEndpoint !== null) return
  const message = 'must be off: the provider names no end_session_endpoint'
  fail('invalid', { errors: [{ field: 'signs_out', message }] })
}

/** Only ASCII letters are folded, so that no other letter passes for one. */
export const foldDomain = (domain: string): string =>
  domain.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).slice(0, 300)

const isDomain = (domain: string): boolean =>
  domain.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(domain)
