import type { SignInUpstreamView } from '@muster/contract/console-upstreams.ts'

export type UpstreamProduct = SignInUpstreamView['provider']

export const upstreamsCrumb = { to: '/connections/upstreams', text: 'Identity providers' } as const

/** What a form holds of an upstream that may be changed. */
export type UpstreamInput = {
  readonly name: string
  /** The claim that names the provider's own customer, and what it has to say; both blank without. */
  readonly tenantClaim: string
  readonly tenant: string
  /** One on each line. */
  readonly domains: string
  readonly createsPeople: boolean
  readonly signsOut: boolean
}

export type NewUpstreamInput = UpstreamInput & {
  readonly provider: UpstreamProduct
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

export const productWords: Readonly<Record<UpstreamProduct, string>> = {
  google: 'Google Workspace',
  entra: 'Microsoft Entra',
  okta: 'Okta',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  zitadel: 'Zitadel',
  auth0: 'Auth0',
  oidc: 'Another (OpenID Connect)',
}

/** Google has no address that signs people out. */
export const hasSignOut = (provider: UpstreamProduct): boolean => provider !== 'google'

const googleIssuer = 'https://accounts.google.com'

export const noUpstream: NewUpstreamInput = {
  ...{ provider: 'google', issuer: '', clientId: '', clientSecret: '' },
  ...{ name: '', tenantClaim: '', tenant: '', domains: '', createsPeople: false, signsOut: false },
}

export const upstreamInputOf = (upstream: SignInUpstreamView): UpstreamInput => ({
  name: upstream.name,
  tenantClaim: upstream.tenant?.claim ?? '',
  tenant: upstream.tenant?.value ?? '',
  domains: upstream.email_domains.join('\n'),
  createsPeople: upstream.creates_people,
  signsOut: upstream.signs_out,
})

/** Google's customer is always named by the same claim. */
function tenantOf(provider: UpstreamProduct, { tenantClaim, tenant }: UpstreamInput) {
  const claim = provider === 'google' ? 'hd' : tenantClaim.trim()
  return claim === '' || tenant.trim() === '' ? null : { claim, value: tenant.trim() }
}

export const upstreamBodyOf = (provider: UpstreamProduct, input: UpstreamInput) => ({
  name: input.name.trim() === '' ? productWords[provider] : input.name.trim(),
  tenant: tenantOf(provider, input),
  email_domains: input.domains.split(/[\s,]+/).filter(Boolean),
  creates_people: input.createsPeople,
  signs_out: input.signsOut && hasSignOut(provider),
})

export const newUpstreamBodyOf = (input: NewUpstreamInput) => ({
  ...upstreamBodyOf(input.provider, input),
  provider: input.provider,
  issuer: input.provider === 'google' ? googleIssuer : input.issuer.trim(),
  client_id: input.clientId.trim(),
  client_secret: input.clientSecret.trim(),
})

export const upstreamLabels: Readonly<Record<keyof UpstreamInput, string>> = {
  name: 'name',
  tenantClaim: 'tenant claim',
  tenant: 'tenant',
  domains: 'domains',
  createsPeople: 'adding people',
  signsOut: 'signing out there',
}

export const upstreamShownOf = (input: UpstreamInput, field: keyof UpstreamInput): string => {
  const value = input[field]
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : value
}

/** `2 changes: name, domains`; blank without any. */
export function upstreamChangesInWords(before: UpstreamInput, after: UpstreamInput): string {
  const fields = (Object.keys(upstreamLabels) as (keyof UpstreamInput)[]).filter(
    (field) => before[field] !== after[field],
  )
  if (fields.length === 0) return ''
  const words = fields.map((field) => upstreamLabels[field]).join(', ')
  return `${fields.length === 1 ? '1 change' : `${fields.length} changes`}: ${words}`
}
