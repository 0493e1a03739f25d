import Type, { type Static } from 'typebox'
import { AdminUser, adminAccesses } from './admin-users.ts'
import { permissions } from './permissions.ts'
import { Choice, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

/** What administrators may do besides what keys may be permitted to do. */
export const adminPowers = {
  manage_keys: {
    title: 'Manage API Keys',
    description: 'Create and revoke API keys, and change what they may do.',
  },
  reveal_keys: { title: 'Reveal API Keys', description: 'See API keys in clear. For full access only.' },
  manage_administrators: {
    title: 'Manage Administrators',
    description: 'Invite administrators, change what they may do and end their sessions. For full access only.',
  },
} as const satisfies Record<string, { title: string; description: string }>

export type AdminPower = keyof typeof permissions | keyof typeof adminPowers
export const adminPowerNames = [...Object.keys(permissions), ...Object.keys(adminPowers)] as AdminPower[]

const password = () => Type.String({ maxLength: 1_000, description: 'The password.' })
const email = () => Type.String({ maxLength: 320, description: 'E-mail address of the administrator.' })

export const SignInRequest = Type.Object(
  {
    email: email(),
    password: password(),
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
    has_administrators: Flag('Whether anybody can sign in yet; if not, the terminal has shown a link.'),
  },
  {
    title: 'SignInOptions',
    description: 'What the page for signing in shows.',
    examples: [{ needs_organization: false, has_administrators: true }],
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
    may_read: Flag('Whether the records of the organization may be read at all.'),
    permissions: Type.Array(Choice(adminPowerNames, 'A permission.'), {
      description: 'What the administrator may do.',
    }),
    disabled_features: Type.Array(Type.String(), { description: 'What the organization does not have.' }),
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
        may_read: true,
        permissions: ['remove_devices'],
        disabled_features: [],
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
