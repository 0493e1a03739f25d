import Type, { type Static } from 'typebox'
import { Device } from './devices.ts'
import { type RefusalReason, refusalReasons } from './refusal-reasons.ts'
import { requestRefusalNames } from './request-refusals.ts'
import { Choice, Count, Flag, Identifier, identifierPattern, Nullable, Text, Timestamp } from './schema-kit.ts'
import { signInReasonNames } from './sign-in-reasons.ts'

const about = <Example>(title: string, description: string, example: Example) => ({
  title,
  description,
  examples: [example],
})
const aboutBody = <Example>(title: string, description: string, example: Example) => ({
  ...about(title, description, example),
  additionalProperties: false,
})

const clientKinds = ['second_step', 'application'] as const
const kindWords =
  '`second_step`: the caller has signed the person in before it asks, and says so in signed requests. `application`: an upstream signs its people in.'

const exampleKeys = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      kid: 'payroll-2026',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
  ],
}

const signInModes = ['enforce', 'observe', 'disabled'] as const

const Address = (description: string) => Text(description, { maxLength: 2_000 })

/** RFC 7517 §5. */
const KeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'A public key (RFC 7517 §4): RSA of 2,048 bits and more, or EC on P-256.',
      }),
      { minItems: 1, maxItems: 20, description: 'The keys.' },
    ),
  },
  {
    description:
      'The public keys that sign its requests (a JWK set), all of one algorithm. Null when they are not signed.',
  },
)

const options = {
  name: Text('What people read: the name of the application.', { minLength: 1, maxLength: 200 }),
  redirect_uris: Type.Array(Address('Where an answer may go: https, or http to this machine.'), {
    minItems: 1,
    maxItems: 20,
    description: 'Where its answers may go.',
  }),
  post_logout_redirect_uris: Type.Array(
    Address('Where people may be led back to when it signs them out: https, or http to this machine.'),
    {
      maxItems: 20,
      description:
        'Where people may be led back to when it signs them out (OpenID Connect RP-Initiated Logout 1.0). Empty for Microsoft Entra.',
    },
  ),
  requires_pkce: Flag(
    'Whether each request has to come with PKCE. Only an application with a secret can do without: its requests then come with a `nonce`.',
  ),
  request_keys: Nullable(KeySet),
  request_keys_url: Nullable(
    Address(
      'Where the caller publishes these keys: they are read there every ten minutes. Null of keys that were given.',
    ),
  ),
  start_url: Nullable(Address('Where people open the application again; null when it is not known.')),
  is_browser_managed: Flag('Whether policies let the page reach the agent, so that the browser does not ask first.'),
  wait_seconds: Type.Integer({ minimum: 60, maximum: 1_800, description: 'How long the caller waits for an answer.' }),
  upstream_id: Nullable(
    Text('The upstream identity provider that signs the people of an application in; null of any other kind.', {
      pattern: identifierPattern,
    }),
  ),
}

/** Their names are in each ID token. */
export const maxConnectionGroups = 50

const groups = {
  group_ids: Type.Array(Text('A person group.', { pattern: identifierPattern }), {
    maxItems: maxConnectionGroups,
    description:
      'The person groups that are shared with an application: its claim `groups` names those the person is in. Empty for any other kind.',
  }),
}

const Guid = (description: string) => Text(description, { minLength: 36, maxLength: 36 })

const entraSettings = {
  cloud: Choice(['global', 'us_government', 'china'], 'The Microsoft cloud of the tenant.'),
  tenant_ids: Type.Array(Guid('A directory (tenant) ID.'), {
    minItems: 1,
    maxItems: 20,
    description: 'The tenants whose people sign in. Guests of theirs do not.',
  }),
  app_id: Guid('The application (client) ID of the app registration in the tenant.'),
}

const entraAddresses = {
  discovery_url: Text('The discovery endpoint to enter in the external method.'),
  authorization_endpoint: Text('The reply URL to enter in the app registration, exactly.'),
}

const EntraView = Type.Object(
  {
    ...entraSettings,
    discovery_url: Nullable(entraAddresses.discovery_url),
    authorization_endpoint: Nullable(entraAddresses.authorization_endpoint),
  },
  { description: 'What Microsoft Entra is set up with. Null for any other kind.' },
)

export const SignInConnectionView = Type.Object(
  {
    id: Identifier('Identifier of the connection.'),
    kind: Choice([...clientKinds, 'entra'], `${kindWords} \`entra\`: an external method of Microsoft Entra.`),
    entra: Nullable(EntraView),
    mode: Choice(signInModes, 'Whether it refuses devices, only notes what it would refuse, or refuses everyone.'),
    paused_until: Nullable(
      Timestamp('Until when it lets known people in without the check; null unless it was paused.'),
    ),
    pause_reason: Nullable(Text('Why it was paused.')),
    client_id: Text('Its OpenID Connect client identifier.'),
    is_public: Flag('Whether it has no secret and proves itself by PKCE.'),
    issuer: Nullable(Text('The issuer to give to it; null while the organization has no address.')),
    ...options,
    groups: Type.Array(
      Type.Object(
        { id: Identifier('The person group.'), name: Text('Its name, which the claim has.') },
        { description: 'A person group.' },
      ),
      {
        description:
          'The person groups that are shared with the application: its claim `groups` names those the person is in.',
      },
    ),
    request_algorithm: Nullable(
      Choice(['RS256', 'PS256', 'ES256'], 'What its requests are signed with; null when they are not signed.'),
    ),
    created_at: Timestamp('When it was added.'),
    last_sign_in_at: Nullable(
      Timestamp('When the last person got in who began in the last 30 days; null without one.'),
    ),
    signed_in_count: Count('Sign-ins of the last 7 days in which the person got in.'),
    failed_count: Count('Sign-ins of the last 7 days that ended without the person getting in.'),
    last_failure: Nullable(
      Type.Object(
        {
          started_at: Timestamp('When it began.'),
          reason: Nullable(Choice(signInReasonNames, 'What stood in the way; null where that is not known.')),
        },
        { description: 'The last sign-in of 30 days that ended without the person getting in; null without one.' },
      ),
    ),
    last_refusal: Nullable(
      Type.Object(
        {
          refused_at: Timestamp('When it was refused. Another within a minute is not noted.'),
          reason: Choice(requestRefusalNames, 'What was wrong with it.'),
        },
        {
          description:
            'The last request of 30 days that was refused because of how the application is set up: it began no sign-in, or got no token for one. Null without one since the settings that it depends on were changed.',
        },
      ),
    ),
  },
  about('SignInConnectionView', 'An application or an identity provider that people sign in to through Muster.', {
    id: '3',
    kind: 'second_step',
    entra: null,
    mode: 'enforce',
    paused_until: null,
    pause_reason: null,
    client_id: 'muster-3f9c2d7a41b8e6f0c5a1',
    is_public: false,
    issuer: 'https://muster.example.com/signin/oidc',
    name: 'Payroll',
    redirect_uris: ['https://payroll.example.com/callback'],
    post_logout_redirect_uris: ['https://payroll.example.com/signed-out'],
    requires_pkce: true,
    request_keys: exampleKeys,
    request_keys_url: 'https://payroll.example.com/jwks.json',
    request_algorithm: 'ES256',
    start_url: 'https://payroll.example.com/',
    is_browser_managed: false,
    wait_seconds: 600,
    upstream_id: null,
    groups: [],
    created_at: '2026-11-20T10:00:00.000Z',
    last_sign_in_at: '2026-11-25T08:12:40.118Z',
    signed_in_count: 412,
    failed_count: 9,
    last_failure: { started_at: '2026-11-25T07:58:02.410Z', reason: 'blocked_by_issues' },
    last_refusal: { refused_at: '2026-11-20T10:04:31.002Z', reason: 'pkce_missing' },
  }),
)
export type SignInConnectionView = Static<typeof SignInConnectionView>

const { name, redirect_uris, ...others } = options

export const SignInConnectionCreation = Type.Object(
  {
    kind: Choice(clientKinds, kindWords),
    name,
    redirect_uris,
    is_public: Type.Optional(Flag('Whether it has no secret and proves itself by PKCE.')),
    mode: Type.Optional(
      Choice(signInModes, 'What it does from the start: `observe` unless given, which refuses no device.'),
    ),
    ...Type.Partial(Type.Object({ ...others, ...groups })).properties,
  },
  aboutBody('SignInConnectionCreation', 'A new OpenID Connect client. It observes unless another mode is given.', {
    kind: 'second_step',
    name: 'Payroll',
    redirect_uris: ['https://payroll.example.com/callback'],
    request_keys: exampleKeys,
  }),
)
export type SignInConnectionCreation = Static<typeof SignInConnectionCreation>

export const SignInConnectionChange = Type.Object(
  {
    mode: Type.Optional(Choice(signInModes, 'What it does from now on.')),
    refused_count: Type.Optional(
      Count('How many people the readiness report says would be refused; needed to turn on `enforce`.'),
    ),
    ...Type.Partial(Type.Object({ ...options, ...groups })).properties,
    entra: Type.Optional(
      Type.Partial(Type.Object(entraSettings), {
        description: 'What changes of the settings of Microsoft Entra.',
        additionalProperties: false,
      }),
    ),
  },
  aboutBody('SignInConnectionChange', 'What changes of a connection.', { mode: 'observe' }),
)
export type SignInConnectionChange = Static<typeof SignInConnectionChange>

const { start_url, is_browser_managed } = options

export const EntraConnectionCreation = Type.Object(
  {
    name,
    ...entraSettings,
    mode: Type.Optional(Choice(signInModes, 'What it does from the start: `observe` unless given.')),
    start_url: Type.Optional(start_url),
    is_browser_managed: Type.Optional(is_browser_managed),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 300,
        description: 'How long Microsoft Entra waits for an answer; 300 unless given.',
      }),
    ),
  },
  aboutBody(
    'EntraConnectionCreation',
    'A new external authentication method (external MFA) of Microsoft Entra. It observes unless another mode is given.',
    {
      name: 'Microsoft Entra',
      cloud: 'global',
      tenant_ids: ['5f2c1b7a-9d34-4e0b-8c61-2a7e93d0f415'],
      app_id: 'c0a81d52-6e4f-4b9a-a3d7-18f5e2b96c04',
    },
  ),
)
export type EntraConnectionCreation = Static<typeof EntraConnectionCreation>

export const NewEntraConnection = Type.Object(
  {
    id: Identifier('Identifier of the connection.'),
    client_id: Text('The client ID to enter in the external method.'),
    issuer: Text('The issuer of its ID tokens.'),
    ...entraAddresses,
  },
  about('NewEntraConnection', 'What Microsoft Entra is given.', {
    id: '4',
    client_id: 'muster-3f9c2d7a41b8e6f0c5a1',
    issuer: 'https://muster.example.com/signin/entra/4',
    discovery_url: 'https://muster.example.com/signin/entra/4/.well-known/openid-configuration',
    authorization_endpoint: 'https://muster.example.com/signin/entra/4/authorize',
  }),
)
export type NewEntraConnection = Static<typeof NewEntraConnection>

/** Shown once. */
export const NewSignInConnection = Type.Object(
  {
    id: Identifier('Identifier of the connection.'),
    client_id: Text('Its client identifier.'),
    client_secret: Nullable(Text('Its client secret; null of a public client.')),
    issuer: Text('The issuer to give to it.'),
  },
  about('NewSignInConnection', 'A connection with its secret, which is shown this once.', {
    id: '3',
    client_id: 'muster-3f9c2d7a41b8e6f0c5a1',
    client_secret: 'V0lHb3n2pXk1mQ7sZc4WbYd1sHnUe3G0aB1cDvQ2xRk',
    issuer: 'https://muster.example.com/signin/oidc',
  }),
)
export type NewSignInConnection = Static<typeof NewSignInConnection>

export const SignInTest = Type.Object(
  { page_url: Text('The path of the page, for the browser that has asked.') },
  about('SignInTest', 'A test of a connection, which its page shows step by step.', {
    page_url: '/signin/5f0c1d9be27a4c3388a1d2e4',
  }),
)
export type SignInTest = Static<typeof SignInTest>

export const SignInKeysRotation = Type.Object(
  {
    is_emergency: Flag('Whether the present key leaves the key set now, and the new one signs at once.'),
    purpose: Type.Optional(
      Choice(
        ['oidc', 'entra'],
        'Whose ID tokens it signs: those of OpenID Connect clients, unless given, or those of Microsoft Entra.',
      ),
    ),
  },
  aboutBody('SignInKeysRotation', 'How the key that signs ID tokens is replaced.', { is_emergency: false }),
)

export const RotatedSignInKey = Type.Object(
  { kid: Text('The new key.'), active_from: Timestamp('When it signs.') },
  about('RotatedSignInKey', 'The key that signs ID tokens from then on.', {
    kid: '0c1f8b52-2f5e-4c39-9d2b-6b7a5f0c9d11',
    active_from: '2026-11-20T12:00:00.000Z',
  }),
)
export type RotatedSignInKey = Static<typeof RotatedSignInKey>

const reasonCounts = Object.fromEntries(
  refusalReasons.map((reason) => [reason, Count(`People who would be refused for \`${reason}\`.`)]),
) as Record<RefusalReason, ReturnType<typeof Count>>

export const SignInReadiness = Type.Object(
  {
    people_count: Count('Active people of the organization.'),
    refused_count: Count('Those who would be refused today.'),
    reasons: Type.Object(reasonCounts, { description: 'How many of them, by reason. Each person has one.' }),
    platforms: Type.Array(
      Type.Object(
        {
          device_type: Device.properties.device_type,
          people_count: Count('People whose closest device is of this platform.'),
        },
        { description: 'The people of a platform.' },
      ),
      { description: 'Those who would be refused because no companion is made for their platform, by platform.' },
    ),
  },
  about('SignInReadiness', 'Who could not sign in through a connection today if it enforced.', {
    people_count: 120,
    refused_count: 14,
    reasons: {
      no_device: 6,
      no_companion_for_platform: 3,
      no_companion: 1,
      companion_silent: 1,
      suspended: 0,
      blocked: 2,
      phone_only: 1,
    },
    platforms: [{ device_type: 'Mac', people_count: 3 }],
  }),
)
export type SignInReadiness = Static<typeof SignInReadiness>

export const ReadinessFilter = Type.Object(
  {
    reason: Type.Optional(Choice(refusalReasons, 'Only people who would be refused for this reason.')),
  },
  {
    title: 'ReadinessFilter',
    description: 'What narrows the list of people who would be refused.',
    examples: [{ reason: 'blocked' }],
  },
)
export type ReadinessFilter = Static<typeof ReadinessFilter>

export const RefusedPerson = Type.Object(
  {
    id: Identifier('Identifier of the person.'),
    name: Text('Name of the person.'),
    email: Text('E-mail address of the person.'),
    reason: Choice(refusalReasons, 'Why the person would be refused.'),
    device_id: Nullable(Identifier('The device that comes closest; null without any.')),
    device_name: Nullable(Text('Its name.')),
    device_type: Nullable(Device.properties.device_type, { description: 'Its platform.' }),
  },
  about('RefusedPerson', 'A person who could not sign in today, and why.', {
    id: '311',
    name: 'Tomas Okafor',
    email: 'tomas@acme.example',
    reason: 'blocked',
    device_id: '1042',
    device_name: 'tomas-x1',
    device_type: 'Linux',
  }),
)
export type RefusedPerson = Static<typeof RefusedPerson>

export const SignInKeyView = Type.Object(
  {
    id: Text('Identifier of the key (`kid`).'),
    state: Choice(
      ['published', 'signing', 'retired', 'unused', 'withdrawn'],
      'Whether it is to sign later, signs now, has signed, was replaced before it signed, or is no longer trusted.',
    ),
    created_at: Timestamp('When it was made.'),
    active_from: Timestamp('When it begins to sign.'),
    retired_at: Nullable(Timestamp('When another key takes over; null while none is planned.')),
    withdrawn_at: Nullable(Timestamp('When it left the key set in an emergency; null unless it did.')),
  },
  about('SignInKeyView', 'A key that signs ID tokens.', {
    id: '0c1f8b52-2f5e-4c39-9d2b-6b7a5f0c9d11',
    state: 'signing',
    created_at: '2026-11-20T10:00:00.000Z',
    active_from: '2026-11-20T12:00:00.000Z',
    retired_at: null,
    withdrawn_at: null,
  }),
)
export type SignInKeyView = Static<typeof SignInKeyView>

export const SignInKeys = Type.Object(
  {
    jwks_uri: Nullable(Text('Where the key set is; null while the organization has no address.')),
    data: Type.Array(SignInKeyView, { description: 'The keys, the latest first.' }),
  },
  about('SignInKeys', 'The keys that sign ID tokens.', {
    jwks_uri: 'https://muster.example.com/signin/oidc/jwks',
    data: [],
  }),
)
export type SignInKeys = Static<typeof SignInKeys>
