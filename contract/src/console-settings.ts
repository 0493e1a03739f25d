import Type, { type Static, type TSchema } from 'typebox'
import { AdminUser } from './admin-users.ts'
import { deprovisionedPersonId } from './console.ts'
import { features } from './features.ts'
import { permissions } from './permissions.ts'
import { type Retained, retention } from './retention.ts'
import { Choice, Count, Flag, Identifier, IdentifierInput, Nullable, Text, Timestamp } from './schema-kit.ts'

const about = <Example>(title: string, description: string, example: Example) => ({
  title,
  description,
  examples: [example],
})
const aboutBody = <Example>(title: string, description: string, example: Example) => ({
  ...about(title, description, example),
  additionalProperties: false,
})

export const OrganizationChange = Type.Object(
  { name: Text('Name of the organization.', { maxLength: 1_000 }) },
  aboutBody('OrganizationChange', 'What the organization is called from now on.', { name: 'Acme Corporation' }),
)

const days = (what: Retained) =>
  Type.Integer({
    minimum: retention[what].least,
    maximum: retention[what].most,
    description: `For how many days it is kept: ${retention[what].title}.`,
  })

/** What the organization chose, or what is usual. */
const organizationSettings = {
  auth_logs_days: days('auth_logs'),
  live_results_days: days('live_results'),
  settled_signals_days: days('settled_signals'),
  settled_deliveries_days: days('settled_deliveries'),
  is_first_device_trusted: Flag(
    'Whether the first device of a person is registered at once; else it waits for a decision, as every other.',
  ),
  registration_required_checks: Type.Array(Identifier('Identifier of a check.'), {
    maxItems: 20,
    description:
      'The checks that have to pass before a first device is registered at once; without them it waits for a decision.',
  }),
  is_second_factor_required: Flag('Whether administrators without a second factor can do nothing but set one up.'),
  is_owner_by_account: Flag(
    'Whether a device that never had an owner is registered to the person whose account is logged in on it.',
  ),
}

const asChange = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

export const SettingsChange = Type.Object(
  {
    auth_logs_days: asChange(organizationSettings.auth_logs_days),
    live_results_days: asChange(organizationSettings.live_results_days),
    settled_signals_days: asChange(organizationSettings.settled_signals_days),
    settled_deliveries_days: asChange(organizationSettings.settled_deliveries_days),
    is_first_device_trusted: asChange(organizationSettings.is_first_device_trusted),
    registration_required_checks: asChange(organizationSettings.registration_required_checks),
    is_second_factor_required: asChange(organizationSettings.is_second_factor_required),
    is_owner_by_account: asChange(organizationSettings.is_owner_by_account),
  },
  aboutBody('SettingsChange', 'What the organization chooses from now on; null for what is usual.', {
    auth_logs_days: 120,
  }),
)
export type SettingsChange = Static<typeof SettingsChange>

export const EnrollmentSecretCreation = Type.Object(
  {
    name: Text('What to call it.', { minLength: 1, maxLength: 200 }),
    person_id: Type.Optional(IdentifierInput('Whose devices enroll with it: they are registered to this person.')),
    expires_at: Type.Optional(Timestamp('Until when it is good; for good unless given.')),
  },
  aboutBody('EnrollmentSecretCreation', 'What a new enrollment secret is for.', { name: 'Berlin office' }),
)

/** Shown once. */
export const NewEnrollmentSecret = Type.Object(
  { id: Identifier('Identifier of the secret.'), secret: Text('The secret.') },
  about('NewEnrollmentSecret', 'An enrollment secret, shown this once.', {
    id: '8',
    secret: 'V0lHb3n2pXk1mQ7sZc4WbYd1sHnUe3G0aB1cDvQ2xRk',
  }),
)
export type NewEnrollmentSecret = Static<typeof NewEnrollmentSecret>

/** An enrollment secret, without what it is. */
export const EnrollmentSecretView = Type.Object(
  {
    id: Identifier('Identifier of the secret.'),
    name: Text('What it is called.'),
    person: Nullable(
      Type.Object(
        {
          id: Identifier('Identifier of the person.'),
          name: Text('Name of the person.'),
          email: Text('E-mail address of the person.'),
        },
        { description: 'Whose devices enroll with it; null when they belong to nobody.' },
      ),
    ),
    package_id: Nullable(Identifier('The package that carries it; null when none does.')),
    state: Choice(['in_force', 'expired', 'revoked'], 'Whether devices enroll with it.'),
    created_at: Timestamp('When it was made.'),
    expires_at: Nullable(Timestamp('Until when it is good; null for good.')),
    revoked_at: Nullable(Timestamp('When it was revoked; null when it was not.')),
  },
  about('EnrollmentSecretView', 'An enrollment secret, without what it is.', {
    id: '8',
    name: 'Berlin office',
    person: null,
    package_id: null,
    state: 'in_force',
    created_at: '2026-11-20T10:00:00.000Z',
    expires_at: null,
    revoked_at: null,
  }),
)
export type EnrollmentSecretView = Static<typeof EnrollmentSecretView>

export const EnrollmentSecretFilter = Type.Object(
  { state: Type.Optional(Choice(['in_force', 'ended'], 'Only active ones, or only ended ones.')) },
  about('EnrollmentSecretFilter', 'What narrows the list of enrollment secrets.', { state: 'in_force' }),
)
export type EnrollmentSecretFilter = Static<typeof EnrollmentSecretFilter>

export const RebuiltPackage = Type.Object(
  { file_name: Text('What the file of the package is called now.') },
  about('RebuiltPackage', 'A package that was made again.', { file_name: 'muster-osquery_0.1.0-2_all.deb' }),
)
export type RebuiltPackage = Static<typeof RebuiltPackage>

export const ScimTokenCreation = Type.Object(
  { name: Text('What to call it.', { minLength: 1, maxLength: 200 }) },
  aboutBody('ScimTokenCreation', 'What a new SCIM token is called.', { name: 'Entra ID' }),
)

/** Shown once. */
export const NewScimToken = Type.Object(
  {
    id: Identifier('Identifier of the token.'),
    token: Text('The token.'),
  },
  about('NewScimToken', 'A SCIM token, shown this once.', {
    id: '2',
    token: 'mstr_scim_9fJ2kQvX0aLrT7mZc4WbYd1sHnUe3G0aB1cD',
  }),
)
export type NewScimToken = Static<typeof NewScimToken>

export const ScimTokenView = Type.Object(
  {
    id: Identifier('Identifier of the token.'),
    name: Text('What it is called.'),
    created_at: Timestamp('When it was made.'),
    last_used_at: Nullable(Timestamp('When it was used last; null when never.')),
  },
  about('ScimTokenView', 'An active SCIM token, without its value.', {
    id: '2',
    name: 'Entra ID',
    created_at: '2026-11-20T10:00:00.000Z',
    last_used_at: null,
  }),
)
export type ScimTokenView = Static<typeof ScimTokenView>

/** A key as every administrator who reads may know it. */
export const PrivacyKeyView = Type.Object(
  {
    id: Identifier('Identifier of the key.'),
    name: Text('Name of the key.'),
    responsible_administrator: Text('Who answers for the key.'),
    permissions: Type.Array(Choice(Object.keys(permissions) as (keyof typeof permissions)[], 'A permission.'), {
      description: 'What the key may do beyond reading.',
    }),
    last_used_at: Nullable(Timestamp('When it was used last; null when never.')),
  },
  about('PrivacyKeyView', 'An API key as the privacy center shows it: who answers for it, and what it may do.', {
    id: '3',
    name: 'Ticket system',
    responsible_administrator: 'Maya Lindqvist',
    permissions: ['manage_user_requests'],
    last_used_at: null,
  }),
)
export type PrivacyKeyView = Static<typeof PrivacyKeyView>

const secondFactors = ['none', 'totp', 'passkey', 'both'] as const

/** An administrator with how they sign in. */
export const AdministratorView = Type.Object(
  {
    ...AdminUser.properties,
    has_password: Flag('Whether a password was chosen.'),
    has_identity: Flag('Whether they have signed in through an identity provider, which answers for second factors.'),
    second_factor: Choice(secondFactors, 'What besides the password.'),
    last_seen_at: Nullable(Timestamp('When they were last in the console; null when not within a month.')),
    link_expires_at: Nullable(Timestamp('When the one-time link ends that they have not used; null for none.')),
    deprovisioned_person_id: deprovisionedPersonId(),
  },
  about('AdministratorView', 'An administrator with how they sign in.', {
    id: '12',
    first_name: 'Maya',
    last_name: 'Lindqvist',
    email: 'maya@acme.example',
    created_at: '2025-02-03T08:30:00.000Z',
    access: 'limited',
    restrictions: ['manage_keys'],
    has_password: true,
    has_identity: false,
    second_factor: 'totp',
    last_seen_at: '2026-11-20T10:00:00.000Z',
    link_expires_at: null,
    deprovisioned_person_id: null,
  }),
)
export type AdministratorView = Static<typeof AdministratorView>

export const AdministratorFilter = Type.Object(
  {
    search: Type.Optional(Text('A part of the name or e-mail address.', { maxLength: 200 })),
    access: Type.Optional(AdminUser.properties.access),
    factor: Type.Optional(
      Choice(['missing'], 'Only those who sign in with a password alone, or have not signed in yet.'),
    ),
  },
  about('AdministratorFilter', 'What narrows the list of administrators.', { search: 'maya' }),
)
export type AdministratorFilter = Static<typeof AdministratorFilter>

/** What the server was set up with, as far as pages say it. */
export const SettingFacts = Type.Object(
  {
    organization: Type.Object(
      {
        id: Identifier('Identifier of the organization.'),
        name: Text('Name of the organization.'),
        created_at: Timestamp('When it was made.'),
      },
      { description: 'The organization.' },
    ),
    features: Type.Array(
      Type.Object(
        {
          name: Choice(Object.keys(features) as (keyof typeof features)[], 'The feature.'),
          is_on: Flag('Whether the organization has it.'),
        },
        { description: 'A part of the plan.' },
      ),
      { description: 'The parts of the plan.' },
    ),
    base_url: Text('Origin that people, agents and API clients use.', { format: 'uri' }),
    own_base_url: Nullable(
      Text('Base address of the organization; null where it is that of the server.', { format: 'uri' }),
    ),
    old_base_urls: Type.Array(Type.String({ format: 'uri' }), {
      description: 'Other addresses at which the keys and SCIM tokens of the organization are still valid.',
    }),
    identity_provider: Nullable(
      Type.Object(
        {
          name: Text('What the console calls it.'),
          issuer: Text('Its address.'),
          redirect_uri: Text('Where it sends people back to.'),
        },
        { description: 'Through whom administrators may sign in; null for nobody.' },
      ),
    ),
    device_deletion_delay_seconds: Count('How long a deleted device can be restored.'),
    blocked_tables: Type.Array(Type.String(), { description: 'Tables of osquery that no live query may read.' }),
    chosen: Type.Object(organizationSettings, { description: 'What the organization chose, or what is usual.' }),
    kept_days: Type.Object(
      {
        events: Count('Events of changes.'),
        admin_sessions: Count('Sessions and links of administrators, after they began.'),
      },
      { description: 'For how many days what is kept that nobody chooses.' },
    ),
    counts: Type.Object(
      {
        registered: Count('Devices that someone owns.'),
        unregistered: Count('Devices that nobody owns.'),
        suspended: Count('Devices whose registration is in doubt.'),
        waiting_requests: Count('Registration requests that wait for a decision.'),
        checks: Count('Checks of the organization.'),
        people: Count('People who are active.'),
        administrators: Count('Administrators.'),
      },
      { description: 'How many there are.' },
    ),
  },
  about('SettingFacts', 'What the server was set up with, as far as pages say it.', {
    organization: { id: '1', name: 'Acme', created_at: '2025-02-03T08:30:00.000Z' },
    features: [{ name: 'scim', is_on: true }],
    base_url: 'https://trust.example.com',
    own_base_url: null,
    old_base_urls: [],
    identity_provider: null,
    device_deletion_delay_seconds: 120,
    blocked_tables: ['curl'],
    chosen: {
      auth_logs_days: 400,
      live_results_days: 90,
      settled_signals_days: 90,
      settled_deliveries_days: 180,
      is_first_device_trusted: true,
      registration_required_checks: [],
      is_second_factor_required: false,
      is_owner_by_account: false,
    },
    kept_days: { events: 30, admin_sessions: 30 },
    counts: {
      registered: 412,
      unregistered: 12,
      suspended: 1,
      waiting_requests: 2,
      checks: 51,
      people: 380,
      administrators: 4,
    },
  }),
)
export type SettingFacts = Static<typeof SettingFacts>
