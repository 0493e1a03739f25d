import type { ReactNode } from 'react'

/** What is copied from here into the other side. */
export type SetupValues = {
  readonly issuer: string
  readonly clientId: string
  /** Known only right after it was made; null of a client without one. */
  readonly secret: string | null | undefined
  readonly redirectUris: readonly string[]
}

type Value = 'discovery' | 'issuer' | 'authorization' | 'token' | 'jwks' | 'clientId' | 'secret' | 'redirects'
type Step = { readonly says: ReactNode; readonly values?: readonly Value[] }

/** How to set up the other side: one entry for each kind of it. */
type Provider = {
  readonly value: string
  readonly title: string
  readonly text: string
  /** Where its redirect address is found. */
  readonly redirectHint: string
  readonly redirectExample: string
  /** The caller has signed the person in before it asks. */
  readonly isHintTrusted: boolean
  readonly evidence: string
  readonly steps: readonly Step[]
}

const clientValues: readonly Value[] = ['clientId', 'secret']

export const providers = [
  {
    value: 'oidc',
    title: 'OpenID Connect application',
    text: 'Any client that sends an authorization request with a code.',
    redirectHint: 'The redirect or callback address that the application shows.',
    redirectExample: 'https://payroll.example.com/callback',
    isHintTrusted: false,
    evidence: 'Have it sign its requests (RFC 9101) and name the person in login_hint. Paste its public keys here.',
    steps: [
      {
        says: 'Enter these values. Most applications read the rest from the discovery address.',
        values: ['discovery', 'issuer', ...clientValues],
      },
      { says: 'Select the response type code, the scope openid, and PKCE with S256.' },
      {
        says: 'Turn on signed request objects with an RSA or EC key, and send the e-mail address or user name as login_hint.',
      },
      { says: 'Check that its redirect address is one of these.', values: ['redirects'] },
      { says: 'To decide by the device, require acr to be urn:muster:device:compliant.' },
    ],
  },
  {
    value: 'okta',
    title: 'Okta',
    text: 'As device posture provider over OpenID Connect. Okta asks on every platform but Linux.',
    redirectHint: 'Of every Okta organization: its own address with /oauth2/v1/authorize/callback.',
    redirectExample: 'https://acme.okta.com/oauth2/v1/authorize/callback',
    isHintTrusted: true,
    evidence:
      'Select “Enable signed requests” in Okta and paste its public keys here. Without them registration stays off.',
    steps: [
      { says: 'In the Okta Admin Console open Security > Identity Providers, and add an OpenID Connect IdP.' },
      { says: 'As IdP usage select Device posture provider. Keep openid as the only scope.' },
      { says: 'Enter these values.', values: [...clientValues, 'issuer', 'authorization', 'token', 'jwks'] },
      {
        says: 'Under Authorize requests select Enable signed requests. Then add the keys that Okta signs with under Settings here.',
      },
      { says: 'Compare the redirect address that Okta shows.', values: ['redirects'] },
      {
        says: 'In a device assurance policy require the signals managed and compliant of the device posture provider, and attach the policy to the sign-in rule of a pilot application.',
      },
    ],
  },
  {
    value: 'keycloak',
    title: 'Keycloak',
    text: 'As identity provider of a realm. Its browser flow ends at Muster, so it fits flows that begin there.',
    redirectHint: 'Keycloak shows it at the top of the new identity provider.',
    redirectExample: 'https://keycloak.example.com/realms/acme/broker/muster/endpoint',
    isHintTrusted: true,
    evidence: 'Keycloak does not sign these requests: registration stays off, and people need a registered device.',
    steps: [
      { says: 'In the realm open Identity providers, and add OpenID Connect v1.0 with the alias muster.' },
      { says: 'Turn on Use discovery endpoint and enter these values.', values: ['discovery', ...clientValues] },
      {
        says: 'As Client authentication select Client secret sent as basic auth. Turn on Use PKCE with the method S256.',
      },
      { says: 'Under Advanced turn on Pass login_hint, and turn off Store tokens.' },
      { says: 'Compare the redirect address that Keycloak shows.', values: ['redirects'] },
    ],
  },
  {
    value: 'authentik',
    title: 'authentik',
    text: 'As a source stage after the password. Source stages need authentik Enterprise.',
    redirectHint: 'The callback address that the new source shows.',
    redirectExample: 'https://authentik.example.com/source/oauth/callback/muster/',
    isHintTrusted: true,
    evidence: 'authentik does not sign these requests: registration stays off, and people need a registered device.',
    steps: [
      {
        says: 'Open Directory > Federation and social login, and create an OpenID Connect source with the slug muster.',
      },
      {
        says: 'Enter these values; the client ID is the consumer key, the client secret the consumer secret.',
        values: [...clientValues, 'discovery'],
      },
      { says: 'As PKCE method select S256.' },
      {
        says: 'Create a source stage for this source, and bind it to the authentication flow after the stage that checks the password. The source itself needs a flow without a user login stage.',
      },
      { says: 'Compare the callback address that authentik shows.', values: ['redirects'] },
    ],
  },
] as const satisfies readonly Provider[]

export type ProviderName = (typeof providers)[number]['value']

export const providerOf = (name: ProviderName): Provider =>
  providers.find(({ value }) => value === name) ?? providers[0]

const labels: Readonly<Record<Value, string>> = {
  discovery: 'Discovery address',
  issuer: 'Issuer',
  authorization: 'Authorization endpoint',
  token: 'Token endpoint',
  jwks: 'JWKS endpoint',
  clientId: 'Client ID',
  secret: 'Client secret',
  redirects: 'Redirect address',
}

/** Each text to copy with its label; undefined for a secret that is no longer known. */
export function textsOf(
  value: Value,
  { issuer, clientId, secret, redirectUris }: SetupValues,
): [string, string | undefined][] {
  if (value === 'secret') return secret === null ? [] : [[labels.secret, secret]]
  if (value === 'redirects') return redirectUris.map((address) => [labels.redirects, address])
  const texts = {
    discovery: `${issuer}/.well-known/openid-configuration`,
    ...{ issuer, clientId, authorization: `${issuer}/auth`, token: `${issuer}/token`, jwks: `${issuer}/jwks` },
  }
  return [[labels[value], texts[value]]]
}
