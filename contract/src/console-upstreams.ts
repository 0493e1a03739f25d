import Type, { type Static } from 'typebox'
import { Choice, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

const about = <Example>(title: string, description: string, example: Example) => ({
  title,
  description,
  examples: [example],
})
const aboutBody = <Example>(title: string, description: string, example: Example) => ({
  ...about(title, description, example),
  additionalProperties: false,
})

export const upstreamProviders = [
  ...(['google', 'entra', 'okta', 'keycloak', 'authentik', 'zitadel', 'auth0'] as const),
  'oidc',
] as const

const Tenant = Type.Object(
  {
    claim: Text('The claim of the ID token that names it, such as `hd` of Google or `tid` of Microsoft.', {
      pattern: '^[A-Za-z0-9_:/.-]{1,100}$',
    }),
    value: Text('What the claim has to say, exactly.', { minLength: 1, maxLength: 253 }),
  },
  {
    additionalProperties: false,
    description: 'The one customer of the provider whose people may sign in. Null where the issuer has one alone.',
  },
)

const options = {
  name: Text('What people read: the name of the identity provider.', { minLength: 1, maxLength: 100 }),
  tenant: Nullable(Tenant),
  email_domains: Type.Array(Text('A domain in its ASCII form.', { maxLength: 253 }), {
    maxItems: 50,
    description:
      'The domains of the addresses that it may vouch for. Empty: any address that it says is verified. Needed of Microsoft Entra.',
  }),
  creates_people: Type.Boolean({
    description:
      'Whether someone of these domains whom it vouches for and nobody knows is added as a person at their first sign-in. It needs `email_domains`.',
  }),
  signs_out: Type.Boolean({
    description:
      'Whether people who sign out of an application are signed out there first. Register `post_logout_redirect_uri` at the provider before that.',
  }),
}

const provider = Choice(upstreamProviders, 'Which product it is; `oidc` is any other.')
const issuer = Text('Its issuer, as it writes it.', { minLength: 1, maxLength: 500 })
const client_id = Text('The client identifier that it has given Muster.', { minLength: 1, maxLength: 255 })
const client_secret = Text('The client secret that it has given Muster. It is not shown again.', {
  minLength: 1,
  maxLength: 500,
})

const example = {
  name: 'Google Workspace',
  provider: 'google',
  issuer: 'https://accounts.google.com',
  client_id: '1234-abcd.apps.googleusercontent.com',
} as const

export const SignInUpstreamView = Type.Object(
  {
    id: Identifier('Identifier of the upstream.'),
    provider,
    issuer,
    client_id,
    ...options,
    redirect_uri: Nullable(
      Text('The redirect address to enter at the provider; null while the organization has no address.'),
    ),
    post_logout_redirect_uri: Nullable(
      Text('Where the provider leads people back to from signing out; null while the organization has no address.'),
    ),
    created_at: Timestamp('When it was added.'),
  },
  about('SignInUpstreamView', 'An identity provider that people sign in at before their device is checked.', {
    id: '2',
    ...example,
    tenant: { claim: 'hd', value: 'example.com' },
    email_domains: ['example.com'],
    creates_people: false,
    signs_out: false,
    redirect_uri: 'https://muster.example.com/signin/upstream/return',
    post_logout_redirect_uri: 'https://muster.example.com/signin/upstream/signed-out',
    created_at: '2026-11-20T10:00:00.000Z',
  }),
)
export type SignInUpstreamView = Static<typeof SignInUpstreamView>

const { name, ...others } = options

export const SignInUpstreamCreation = Type.Object(
  { name, provider, issuer, client_id, client_secret, ...Type.Partial(Type.Object(others)).properties },
  aboutBody('SignInUpstreamCreation', 'A new upstream. Its metadata is read at once.', {
    ...example,
    client_secret: 'GOCSPX-6d1e…',
    tenant: { claim: 'hd', value: 'example.com' },
    email_domains: ['example.com'],
  }),
)

export const SignInUpstreamChange = Type.Object(
  Type.Partial(Type.Object(options)).properties,
  aboutBody('SignInUpstreamChange', 'What changes of an upstream. Another issuer is another upstream.', {
    email_domains: ['example.com', 'example.org'],
  }),
)

export const SignInUpstreamSecret = Type.Object(
  { client_secret },
  aboutBody('SignInUpstreamSecret', 'The client secret that the provider has given now.', {
    client_secret: 'GOCSPX-9a2b…',
  }),
)

export const NewSignInUpstream = Type.Object(
  {
    id: Identifier('Identifier of the upstream.'),
    redirect_uri: Text('The redirect address to enter at the provider.'),
    post_logout_redirect_uri: Text(
      'The post-logout redirect address to enter there as well, where people are to be signed out there.',
    ),
  },
  about('NewSignInUpstream', 'An upstream, and what its provider has to know.', {
    id: '2',
    redirect_uri: 'https://muster.example.com/signin/upstream/return',
    post_logout_redirect_uri: 'https://muster.example.com/signin/upstream/signed-out',
  }),
)
export type NewSignInUpstream = Static<typeof NewSignInUpstream>
