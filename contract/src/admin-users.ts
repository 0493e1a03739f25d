import Type, { type Static } from 'typebox'
import { Choice, Identifier, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { emailField, textField, timeField } from './search-fields.ts'

export const adminAccesses = ['full', 'limited', 'billing_only'] as const
export type AdminAccess = (typeof adminAccesses)[number]

export const AdminUser = Type.Object(
  {
    id: Identifier('Identifier of the administrator.'),
    first_name: Text('First name of the administrator.'),
    last_name: Text('Last name of the administrator; may be blank.'),
    email: Text('E-mail address of the administrator.'),
    created_at: Timestamp('When the administrator was added.'),
    access: Choice(adminAccesses, 'Whether they may do everything, only part of it, or see to billing only.'),
    restrictions: Type.Array(Type.String(), {
      description: 'What an administrator with limited access may not do; blank for the others.',
    }),
  },
  {
    title: 'AdminUser',
    description: 'Someone who administers the organization.',
    examples: [
      {
        id: '12',
        first_name: 'Maya',
        last_name: 'Lindqvist',
        email: 'maya@acme.example',
        created_at: '2025-02-03T08:30:00.000Z',
        access: 'limited',
        restrictions: ['manage_keys'],
      },
    ],
  },
)
export type AdminUser = Static<typeof AdminUser>

export const adminUserSearch = {
  first_name: textField,
  last_name: textField,
  email: emailField,
  created_at: timeField,
} as const satisfies SearchFields
