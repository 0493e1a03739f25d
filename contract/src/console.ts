import Type, { type Static } from 'typebox'
import { adminPowerNames } from './admin-powers.ts'
import { AdminUser, adminAccesses } from './admin-users.ts'
import { ConsolePreferences } from './console-preferences.ts'
import { permissions } from './permissions.ts'
import { Choice, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

const code = () =>
  Type.Optional(Type.String({ maxLength: 40, description: 'Code of the authenticator app, or a recovery code.' }))

const password = () => Type.String({ maxLength: 1_000, description: 'The password.' })
const email = () => Type.String({ maxLength: 320, description: 'E-mail address of the administrator.' })

export const SignInRequest = Type.Object(
  {
    email: email(),
    password: password(),
    code: code(),
    organization: Type.Optional(
      Text('Identifier or name of the organization, for an address that administers several.', { maxLength: 200 }),
    ),
  },
  {
    title: 'SignInRequest',
    description: 'An e-mail address with its password.',
    examples: [{ email: 'maya@acme.example', password: 'a long walk at dusk' }],
    additionalProperties: false,
  },
)

const linkPurposes = ['first_run', 'invite', 'reset'] as const

const token = () => Type.String({ maxLength: 200, description: 'What stands behind the # of the link.' })

export const LinkRequest = Type.Object(
  { token: token() },
  {
    title: 'LinkRequest',
    description: 'A one-time link.',
    examples: [{ token: 'mstr_link_9fJ2kQvX0aLrT7mZc4WbYd1sHnUe3G0aB1cD' }],
    additionalProperties: false,
  },
)

export const LinkAcceptance = Type.Object(
  {
    token: token(),
    password: password(),
    email: Type.Optional(email()),
    first_name: Type.Optional(Text('First name, with a link of the first run.', { maxLength: 200 })),
    last_name: Type.Optional(Text('Last name, with a link of the first run.', { maxLength: 200 })),
  },
  {
    title: 'LinkAcceptance',
    description: 'A password for a one-time link, and with a link of the first run, whose it is.',
    examples: [{ token: 'mstr_link_9fJ2kQvX0aLrT7mZc4WbYd1sHnUe3G0aB1cD', password: 'a long walk at dusk' }],
    additionalProperties: false,
  },
)

const ConsoleOrganization = Type.Object(
  {
    id: Identifier('Identifier of the organization.'),
    name: Text('Name of the organization.'),
  },
  { description: 'The organization.' },
)

/** What a one-time link is for. */
export const ConsoleLink = Type.Object(
  {
    purpose: Choice(linkPurposes, 'Whether the link makes the first administrator, or lets one choose a password.'),
    organization: ConsoleOrganization,
    email: Nullable(Text('Whose link it is; null when it makes the first administrator.')),
    expires_at: Timestamp('When the link ends.'),
  },
  {
    title: 'ConsoleLink',
    description: 'What a one-time link is for.',
    examples: [
      {
        purpose: 'invite',
        organization: { id: '1', name: 'Acme' },
        email: 'maya@acme.example',
        expires_at: '2026-11-21T10:00:00.000Z',
      },
    ],
  },
)
export type ConsoleLink = Static<typeof ConsoleLink>

/** What the page for signing in shows. */
export const SignInOptions = Type.Object(
  {
    needs_organization: Flag('Whether there are several organizations, so that an address may administer several.'),
    passkeys: Flag('Whether passkeys work here: they need a host name.'),
    identity_provider: Nullable(Text('Name of the identity provider to sign in through; null for none.')),
    has_administrators: Flag('Whether anyone can sign in yet; if not, the terminal has shown a link.'),
  },
  {
    title: 'SignInOptions',
    description: 'What the page for signing in shows.',
    examples: [{ needs_organization: false, passkeys: true, identity_provider: null, has_administrators: true }],
  },
)
export type SignInOptions = Static<typeof SignInOptions>

/** Who is signed in. */
export const ConsoleSession = Type.Object(
  {
    administrator: Type.Object(
      {
        id: AdminUser.properties.id,
        first_name: AdminUser.properties.first_name,
        last_name: AdminUser.properties.last_name,
        email: AdminUser.properties.email,
        access: Choice(adminAccesses, 'Whether they may do everything, only part of it, or see to billing only.'),
        restrictions: AdminUser.properties.restrictions,
      },
      { description: 'The administrator.' },
    ),
    organization: ConsoleOrganization,
    needs_second_factor: Flag(
      'Whether the organization wants a second factor that the administrator has not: until it is there, nothing else is answered.',
    ),
    may_read: Flag('Whether the records of the organization may be read at all.'),
    permissions: Type.Array(Choice(adminPowerNames, 'A permission.'), {
      description: 'What the administrator may do.',
    }),
    disabled_features: Type.Array(Type.String(), { description: 'What the organization does not have.' }),
    preferences: ConsolePreferences,
    csrf_token: Text('Sent as `X-Muster-CSRF` with every request that is not a GET.'),
    session: Type.Object(
      {
        id: Identifier('Identifier of the session.'),
        created_at: Timestamp('When it began.'),
        expires_at: Timestamp('When it ends at the latest.'),
        verified_until: Timestamp('Until when actions that need a fresh proof of identity go through.'),
      },
      { description: 'The session.' },
    ),
  },
  {
    title: 'ConsoleSession',
    description: 'Who is signed in, and what they may do.',
    examples: [
      {
        administrator: {
          id: '12',
          first_name: 'Maya',
          last_name: 'Lindqvist',
          email: 'maya@acme.example',
          access: 'limited',
          restrictions: ['manage_keys'],
        },
        organization: { id: '1', name: 'Acme' },
        needs_second_factor: false,
        may_read: true,
        permissions: ['remove_devices'],
        disabled_features: [],
        preferences: { single_keys: true, device_columns: null },
        csrf_token: 'kQ0wJb7mHc2sXe5rTn8yVg',
        session: {
          id: '7',
          created_at: '2026-11-20T10:00:00.000Z',
          expires_at: '2026-11-20T22:00:00.000Z',
          verified_until: '2026-11-20T10:05:00.000Z',
        },
      },
    ],
  },
)
export type ConsoleSession = Static<typeof ConsoleSession>

const about = <Example>(title: string, description: string, example: Example) => ({
  title,
  description,
  examples: [example],
  additionalProperties: false,
})

export const ProofRequest = Type.Object(
  { password: password(), code: code() },
  about('ProofRequest', 'Who they are, again.', { password: 'a long walk at dusk' }),
)

export const PasswordChange = Type.Object(
  {
    password: password(),
    code: code(),
    new_password: Type.String({ maxLength: 1_000, description: 'What is to be the password.' }),
  },
  about('PasswordChange', 'The password and the next.', {
    password: 'a long walk at dusk',
    new_password: 'two walks at dawn',
  }),
)

export const CodeRequest = Type.Object(
  { code: Type.String({ maxLength: 40, description: 'Code that the authenticator app shows.' }) },
  about('CodeRequest', 'A code of the authenticator app.', { code: '287082' }),
)

const signInMethods = ['password', 'link', 'passkey', 'oidc'] as const

const BrowserSession = Type.Object(
  {
    id: Identifier('Identifier of the session.'),
    method: Choice(signInMethods, 'How it was begun.'),
    ip_address: Text('From where it was begun.'),
    user_agent: Nullable(Text('What the browser called itself; text of a stranger.')),
    created_at: Timestamp('When it was begun.'),
    last_seen_at: Timestamp('When it was used last, to the minute.'),
    is_current: Flag('Whether it is the one that asks.'),
  },
  { description: 'A session that has not ended.' },
)

const ConsolePasskey = Type.Object(
  {
    id: Identifier('Identifier of the passkey.'),
    name: Text('What the administrator calls it.'),
    is_synced: Flag('Whether it is kept beyond one device.'),
    created_at: Timestamp('When it was added.'),
    last_used_at: Nullable(Timestamp('When it was used last; null when never.')),
  },
  about('ConsolePasskey', 'A passkey of an administrator.', {
    id: '4',
    name: 'Laptop',
    is_synced: true,
    created_at: '2026-11-20T10:00:00.000Z',
    last_used_at: null,
  }),
)

/** How someone signs in, and where they are signed in. */
/** Of an administrator. */
export const deprovisionedPersonId = () =>
  Nullable(
    Identifier(
      'Identifier of the deprovisioned person with their e-mail address, as whom they cannot sign in to the console; null for none.',
    ),
  )

export const SignInState = Type.Object(
  {
    password_changed_at: Nullable(Timestamp('When the password was chosen; null when there is none.')),
    totp_enabled_at: Nullable(Timestamp('Since when signing in asks for a code; null when it does not.')),
    recovery_codes_left: Type.Integer({ minimum: 0, description: 'Recovery codes that were not used.' }),
    passkeys: Type.Array(ConsolePasskey, { description: 'Passkeys, the first first.' }),
    sessions: Type.Array(BrowserSession, { description: 'Sessions that have not ended, the latest first.' }),
    deprovisioned_person_id: deprovisionedPersonId(),
  },
  about('SignInState', 'How someone signs in, and where they are signed in.', {
    password_changed_at: '2026-11-20T10:00:00.000Z',
    totp_enabled_at: null,
    recovery_codes_left: 0,
    passkeys: [],
    sessions: [],
    deprovisioned_person_id: null,
  }),
)
export type SignInState = Static<typeof SignInState>

/** For an authenticator app. */
export const TotpSetup = Type.Object(
  {
    secret: Text('The secret, in base32, for typing.'),
    uri: Text('The same as an address, for a QR code.'),
  },
  about('TotpSetup', 'What an authenticator app is set up with.', {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    uri: 'otpauth://totp/Muster%20(Acme)%3Amaya%40acme.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Muster%20(Acme)',
  }),
)
export type TotpSetup = Static<typeof TotpSetup>

/** Shown once. */
export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: 'Each stands in once for a code of the authenticator app.',
    }),
  },
  about('RecoveryCodes', 'Recovery codes, shown this once.', { recovery_codes: ['k3v9q-7x2mh'] }),
)
export type RecoveryCodes = Static<typeof RecoveryCodes>

const access = () => Choice(adminAccesses, 'What they may do.')
const restrictions = () =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 50,
      description: 'What an administrator with limited access may not do; everything unless given.',
    }),
  )

export const AdministratorInvitation = Type.Object(
  {
    email: email(),
    first_name: Text('First name.', { maxLength: 200 }),
    last_name: Type.Optional(Text('Last name.', { maxLength: 200 })),
    access: access(),
    restrictions: restrictions(),
  },
  about('AdministratorInvitation', 'Who is to be an administrator.', {
    email: 'tom@acme.example',
    first_name: 'Tom',
    access: 'limited',
    restrictions: ['remove_devices'],
  }),
)

export type AdministratorInvitation = Static<typeof AdministratorInvitation>

export const AdministratorChange = Type.Object(
  { access: Type.Optional(access()), restrictions: restrictions() },
  about('AdministratorChange', 'What an administrator may do from now on; what is left out stays.', {
    access: 'full',
  }),
)

/** Shown once. */
export const AdministratorLink = Type.Object(
  {
    administrator_id: Identifier('Identifier of the administrator.'),
    url: Text('By which the administrator chooses a password, once.', { format: 'uri' }),
    expires_at: Timestamp('When the link ends.'),
  },
  about('AdministratorLink', 'A one-time link for an administrator.', {
    administrator_id: '12',
    url: 'https://trust.example.com/console/invite#mstr_link_9fJ2kQvX0aLrT7mZc4WbYd1sHnUe3G0aB1cD',
    expires_at: '2026-11-21T10:00:00.000Z',
  }),
)
export type AdministratorLink = Static<typeof AdministratorLink>

const permissionNames = Object.keys(permissions) as (keyof typeof permissions)[]
const rationales = () =>
  Type.Unsafe<Partial<Record<keyof typeof permissions, string>>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 1_000 },
    description: 'What the key may do beyond reading, each permission with the reason why.',
  })

export const ConsoleApiKey = Type.Object(
  {
    id: Identifier('Identifier of the key.'),
    name: Text('Name of the key.'),
    responsible_administrator: Text('Who answers for the key.'),
    permissions: rationales(),
    permission_uses: Type.Unsafe<Partial<Record<keyof typeof permissions, string>>>({
      type: 'object',
      additionalProperties: { type: 'string', format: 'date-time' },
      description: 'When a request of the key last needed each permission; those that none did are not there.',
    }),
    uses_recorded_since: Timestamp('Since when that is written down.'),
    created_at: Timestamp('When the key was created.'),
    last_used_at: Nullable(Timestamp('When it was used last; null when never.')),
    expires_at: Nullable(Timestamp('From when on it is refused; null when it does not expire.')),
    needs_review_since: Nullable(
      Timestamp(
        'Since when it waits for a review: an administrator without full access had a part in it. Mostly null.',
      ),
    ),
  },
  about('ConsoleApiKey', 'An API key, without its secret.', {
    id: '3',
    name: 'Ticket system',
    responsible_administrator: 'Maya Lindqvist',
    permissions: { manage_user_requests: 'It closes requests.' },
    permission_uses: {},
    uses_recorded_since: '2026-11-20T10:00:00.000Z',
    created_at: '2026-11-20T10:00:00.000Z',
    last_used_at: null,
    expires_at: '2027-11-20T10:00:00.000Z',
    needs_review_since: null,
  }),
)
export type ConsoleApiKey = Static<typeof ConsoleApiKey>

export const ConsoleApiKeys = Type.Object(
  {
    data: Type.Array(ConsoleApiKey, { description: 'The keys that were not revoked, the oldest first; at most 100.' }),
    to_review: Type.Integer({ minimum: 0, description: 'How many of all keys wait for a review.' }),
    next_after_id: Nullable(Identifier('What to send as `after_id` for the rest; null when that was all.')),
  },
  about('ConsoleApiKeys', 'API keys.', { data: [], to_review: 0, next_after_id: null }),
)
export type ConsoleApiKeys = Static<typeof ConsoleApiKeys>

export const ApiKeyPageQuery = Type.Object(
  {
    after_id: Type.Optional(Text('Only keys behind this one.', { pattern: '^[0-9]{1,18}$' })),
    to_review: Type.Optional(Choice(['true'], 'Only keys that wait for a review.')),
  },
  about('ApiKeyPageQuery', 'Which keys.', { after_id: '100' }),
)

export const ApiKeyCreation = Type.Object(
  {
    name: Text('Name of the key.', { maxLength: 200 }),
    responsible_administrator: Type.Optional(
      Text('Who answers for the key; its creator unless given.', { maxLength: 200 }),
    ),
    permissions: rationales(),
    expires_at: Type.Optional(Timestamp('From when on it is refused; it does not expire unless given.')),
  },
  about('ApiKeyCreation', 'What a new key is for.', {
    name: 'Ticket system',
    permissions: { manage_user_requests: 'It closes requests.' },
  }),
)

export type ApiKeyCreation = Static<typeof ApiKeyCreation>

export const ApiKeyPermissionChange = Type.Object(
  {
    change: Choice(['grant', 'withdraw'], 'Whether the key gets them or loses them.'),
    permissions: Type.Array(Choice(permissionNames, 'A permission.'), { minItems: 1, description: 'Which.' }),
    rationale: Text('Why.', { maxLength: 1_000 }),
  },
  about('ApiKeyPermissionChange', 'What a key may do from now on.', {
    change: 'grant',
    permissions: ['remove_devices'],
    rationale: 'It retires laptops.',
  }),
)

/** The key in plain text. */
export const RevealedApiKey = Type.Object(
  { id: Identifier('Identifier of the key.'), key: Text('The key.') },
  about('RevealedApiKey', 'An API key in plain text.', {
    id: '3',
    key: 'mstr_v1_9fJ2kQvX0aLrT7mZc4WbYd1sHnUe3G0aB1cD',
  }),
)
export type RevealedApiKey = Static<typeof RevealedApiKey>

/** As `navigator.credentials` made it, binary parts in base64url; the verifier judges the rest. */
const credentialResponse = () =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'What `PublicKeyCredential.toJSON()` says.',
  })

export const PasskeyProof = Type.Object(
  { response: credentialResponse() },
  about('PasskeyProof', 'A challenge signed with a passkey.', { response: {} }),
)

export const PasskeyAddition = Type.Object(
  { name: Text('What to call it.', { minLength: 1, maxLength: 100 }), response: credentialResponse() },
  about('PasskeyAddition', 'A new passkey.', { name: 'Laptop', response: {} }),
)

/** What `navigator.credentials` asks the browser for. */
export const PasskeyOptions = Type.Object(
  {
    options: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'For `PublicKeyCredential.parse…OptionsFromJSON`.',
    }),
  },
  about('PasskeyOptions', 'What the browser is asked for.', { options: {} }),
)
export type PasskeyOptions = Static<typeof PasskeyOptions>

/** The codes are empty unless it is the first second factor. */
export const AddedPasskey = Type.Object(
  {
    id: Identifier('Identifier of the passkey.'),
    recovery_codes: Type.Array(Type.String(), { description: 'Shown this once; blank when there are some already.' }),
  },
  about('AddedPasskey', 'A passkey that was added.', { id: '4', recovery_codes: [] }),
)
export type AddedPasskey = Static<typeof AddedPasskey>
