import Type, { type Static } from 'typebox'
import { maxEmailLength } from './email-address.ts'
import { Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { emailField, identifierField, nullableTimeField, textField } from './search-fields.ts'

const personFields = {
  id: Identifier('Identifier of the person.'),
  name: Text('Full name of the person.'),
  email: Text('E-mail address of the person.'),
  created_at: Timestamp('When the person was first provisioned.'),
  last_authenticated_at: Nullable(Timestamp('When the person last signed in with a device; null if never.')),
  has_registered_device: Flag('Whether a device is registered to the person.'),
}

const examplePerson = {
  id: '311',
  name: 'Tomas Okafor',
  email: 'tomas@acme.example',
  created_at: '2025-02-03T08:30:00.000Z',
  last_authenticated_at: '2026-11-20T07:58:41.207Z',
  has_registered_device: true,
}

export const Person = Type.Object(
  {
    ...personFields,
    usernames: Type.Array(Type.String(), { description: 'Names by which the identity provider knows the person.' }),
  },
  {
    title: 'Person',
    description: 'Someone who signs in with devices of the organization.',
    examples: [{ ...examplePerson, usernames: ['tomas', 'tomas@acme.example'] }],
  },
)
export type Person = Static<typeof Person>

export const DeprovisionedPerson = Type.Object(
  { ...personFields, api_url: Text('Address of the record in this API.', { format: 'uri' }) },
  {
    title: 'DeprovisionedPerson',
    description: 'Someone who was taken out of the organization: by the identity provider, an administrator or a key.',
    examples: [
      {
        ...examplePerson,
        has_registered_device: false,
        api_url: 'https://muster.example.com/people/311',
      },
    ],
  },
)
export type DeprovisionedPerson = Static<typeof DeprovisionedPerson>

export const PersonCreation = Type.Object(
  {
    name: Text('Full name of the person.', { minLength: 1, maxLength: 200 }),
    email: Text('E-mail address of the person.', { maxLength: maxEmailLength }),
  },
  {
    title: 'PersonCreation',
    description: 'A person to add.',
    examples: [{ name: 'Tomas Okafor', email: 'tomas@acme.example' }],
    additionalProperties: false,
  },
)

export const AddedPerson = Type.Object(
  {
    id: Identifier('Identifier of the person.'),
    is_restored: Flag('Whether the person was deprovisioned before and is back, under their name of then.'),
  },
  { title: 'AddedPerson', description: 'The person who was added.', examples: [{ id: '311', is_restored: false }] },
)

export const personSearch = {
  id: identifierField,
  email: emailField,
  name: textField,
  last_authenticated_at: nullableTimeField,
} as const satisfies SearchFields
