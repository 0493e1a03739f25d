import type { AddressReader } from '@muster/contract/address-doubt.ts'
import type { ComputerType } from '@muster/contract/computer-types.ts'
import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import type { ReactNode } from 'react'

/** What is copied from here into the other side. */
export type SetupValues = {
  readonly issuer: string
  readonly clientId: string
  /** Known only right after it was made; null of a client without one. */
  readonly secret: string | null | undefined
  readonly redirectUris: readonly string[]
  readonly postLogoutUris: readonly string[]
  readonly requiresPkce: boolean
}

type Value =
  | ('discovery' | 'issuer' | 'authorization' | 'token' | 'jwks' | 'clientId' | 'secret')
  | ('redirects' | 'signOuts' | 'reply')
type Step = {
  readonly says: ReactNode | ((values: SetupValues) => ReactNode)
  /** Of which there is at least one, or the step is left out. */
  readonly values?: readonly Value[]
}

/** How to set up the other side: one entry for each kind of it. */
type Provider = {
  readonly value: string
  readonly title: string
  readonly text: string
  /** Where its redirect address is found. */
  readonly redirectHint: string
  readonly redirectExample: string
  readonly kind: SignInConnectionView['kind']
  /** Where its keys come from. */
  readonly aboutKeys: string
  readonly steps: readonly Step[]
  /** The computers that it asks on, where these are not all. */
  readonly asksOn?: readonly ComputerType[]
}

const clientValues: readonly Value[] = ['clientId', 'secret']

const signOutStep: Step = {
  says: 'Check that its sign-out address (post-logout redirect URI) is one of these.',
  values: ['signOuts'],
}

const providers = [
  {
    value: 'signing',
    kind: 'second_step',
    title: 'OpenID Connect',
    text: 'Any identity provider or application that signs its requests (RFC 9101).',
    redirectHint: 'The redirect or callback address that the caller shows.',
    redirectExample: 'https://id.example.com/callback',
    aboutKeys: 'Have the caller sign its requests, and name the person in login_hint.',
    steps: [
      { says: 'Enter these values.', values: ['discovery', 'issuer', ...clientValues] },
      { says: 'Select the response type code, the scope openid, and PKCE with S256.' },
      {
        says: 'Turn on signed request objects with an RSA or P-256 key, and send the e-mail address or user name as login_hint.',
      },
      { says: 'Check that its redirect address is one of these.', values: ['redirects'] },
      signOutStep,
      { says: 'To decide by the device, require acr to be urn:muster:device:compliant.' },
    ],
  },
  {
    value: 'okta',
    kind: 'second_step',
    title: 'Okta',
    text: 'As device posture provider over OpenID Connect. Okta asks on macOS and Windows, and not on Linux.',
    asksOn: ['Mac', 'Windows'],
    redirectHint: 'Of every Okta organization: its own address with /oauth2/v1/authorize/callback.',
    redirectExample: 'https://acme.okta.com/oauth2/v1/authorize/callback',
    aboutKeys: 'Select “Enable signed requests” in Okta, and paste its public keys here.',
    steps: [
      {
        says: 'In the Okta Admin Console open Settings > Features, and turn on Device Posture Provider and Device Posture Claims Mapping.',
      },
      { says: 'Open Security > Identity Providers, and add an OpenID Connect IdP.' },
      { says: 'As IdP usage select Device posture provider. Keep openid as the only scope.' },
      { says: 'Enter these values.', values: [...clientValues, 'issuer', 'authorization', 'token', 'jwks'] },
      {
        says: 'Under Authorize requests select Enable signed requests. Then add the keys that Okta signs with under Settings here.',
      },
      { says: 'Compare the redirect address that Okta shows.', values: ['redirects'] },
      {
        says: 'Open Security > Device Integrations > Endpoint security, add an endpoint integration of the kind Device posture provider, and one for each platform: macOS and Windows.',
      },
      {
        says: 'In a device assurance policy require the signals managed and compliant of the device posture provider, and attach the policy to the sign-in rule of a pilot application.',
      },
    ],
  },
  {
    value: 'oidc',
    kind: 'application',
    title: 'OpenID Connect application',
    text: 'Any client that sends an authorization request with a code.',
    redirectHint: 'The redirect or callback address that the application shows.',
    redirectExample: 'https://payroll.example.com/callback',
    aboutKeys: 'With keys, requests that are not signed are refused.',
    steps: [
      {
        says: 'Enter these values in place of those of the identity provider. Most applications read the rest from the discovery address.',
        values: ['discovery', 'issuer', ...clientValues],
      },
      {
        says: ({ requiresPkce }) =>
          `Select the response type code, the scope openid, and ${requiresPkce ? 'PKCE with S256.' : 'a nonce: PKCE is not required.'}`,
      },
      { says: 'Check that its redirect address is one of these.', values: ['redirects'] },
      signOutStep,
      { says: 'To decide by the device, require acr to be urn:muster:device:compliant.' },
    ],
  },
  {
    value: 'entra',
    kind: 'entra',
    title: 'Microsoft Entra',
    text: 'As external authentication method.',
    redirectHint: '',
    redirectExample: '',
    aboutKeys: '',
    steps: [
      { says: 'In the app registration add the platform Web with this redirect URI, exactly.', values: ['reply'] },
      { says: 'Enter these values in the external method.', values: ['clientId', 'discovery'] },
    ],
  },
] as const satisfies readonly Provider[]

export type ProviderName = (typeof providers)[number]['value']

export const providerOf = (name: ProviderName): Provider =>
  providers.find(({ value }) => value === name) ?? providers[0]

/** Who opens the addresses of this server there. */
export const readerOf = (name: ProviderName): AddressReader =>
  name === 'okta' || name === 'entra' ? { service: providerOf(name).title } : 'program'

export const providersOf = (wanted: SignInConnectionView['kind']) => providers.filter(({ kind }) => kind === wanted)

/** The one that is chosen first for a connection of a kind. */
export const firstProviderOf = (kind: SignInConnectionView['kind']): ProviderName =>
  providersOf(kind)[0]?.value ?? providers[0].value

const labels: Readonly<Record<Value, string>> = {
  discovery: 'Discovery address',
  issuer: 'Issuer',
  authorization: 'Authorization endpoint',
  token: 'Token endpoint',
  jwks: 'JWKS endpoint',
  clientId: 'Client ID',
  secret: 'Client secret',
  redirects: 'Redirect address',
  signOuts: 'Sign-out address',
  reply: 'Redirect URI',
}

/** Each text to copy with its label; undefined for a secret that is no longer known. */
export function textsOf(
  value: Value,
  { issuer, clientId, secret, redirectUris, postLogoutUris }: SetupValues,
): [string, string | undefined][] {
  if (value === 'secret') return secret === null ? [] : [[labels.secret, secret]]
  if (value === 'redirects') return redirectUris.map((address) => [labels.redirects, address])
  if (value === 'signOuts') return postLogoutUris.map((address) => [labels.signOuts, address])
  const texts = {
    discovery: `${issuer}/.well-known/openid-configuration`,
    ...{ issuer, clientId, authorization: `${issuer}/auth`, token: `${issuer}/token`, jwks: `${issuer}/jwks` },
    reply: `${issuer}/authorize`,
  }
  return [[labels[value], texts[value]]]
}
