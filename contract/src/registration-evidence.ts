import Type, { type Static } from 'typebox'
import { Count, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

const example = {
  sign_in_id: '9041',
  application: 'Payroll',
  vouched_by: 'Okta',
  ip_address: '203.0.113.7',
  is_same_network: true,
  companion_linked_at: '2026-11-03T08:12:00.000Z',
  people_count: 1,
}

export const RegistrationEvidence = Type.Object(
  {
    sign_in_id: Identifier('The sign-in on whose page the request was made.'),
    application: Text('Name of the application that the person wanted to open.'),
    vouched_by: Text(
      'Who said that it is this person: the identity provider, or the application that signed the request.',
    ),
    ip_address: Text('Address of the browser.'),
    is_same_network: Nullable(
      Flag('Whether the companion of the device last checked in from the network of the browser; null: not known.'),
    ),
    companion_linked_at: Nullable(Timestamp('Since when the companion that proved the device speaks for it.')),
    people_count: Nullable(Count('How many people were logged in on the device; null: its companion could not tell.')),
  },
  {
    title: 'RegistrationEvidence',
    examples: [example],
    description: 'What was known when a registration was asked for on the page of a sign-in.',
  },
)
export type RegistrationEvidence = Static<typeof RegistrationEvidence>
