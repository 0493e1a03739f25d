import Type, { type Static } from 'typebox'
import { Choice, Identifier, Link, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, textField, timeField } from './search-fields.ts'

const registrationRequestStatuses = ['pending', 'approved', 'denied'] as const

export const RegistrationRequest = Type.Object(
  {
    id: Identifier('Identifier of the request.'),
    status: Choice(registrationRequestStatuses, 'What has become of the request.'),
    requester_message: Text('What the requester wrote.'),
    internal_denial_note: Nullable(
      Text('What the administrator who denied it noted for other administrators; null unless someone did.'),
    ),
    internal_approval_note: Nullable(
      Text('What the administrator who approved it noted for other administrators; null unless someone did.'),
    ),
    requested_at: Timestamp('When the request was made.'),
    end_user_denial_note: Nullable(Text('Why the request was denied, for the requester; null unless it was.')),
    requester_information: Link('The person who wants the device registered to them.'),
    device_information: Link('The device that is to be registered.'),
  },
  {
    title: 'RegistrationRequest',
    description: 'That a person asks for a device to be registered to them.',
    examples: [
      {
        id: '58',
        status: 'approved',
        requester_message: 'My new laptop.',
        internal_denial_note: null,
        internal_approval_note: 'Bought on order 4711.',
        requested_at: '2026-11-20T09:14:03.120Z',
        end_user_denial_note: null,
        requester_information: { identifier: '311', link: 'https://muster.example.com/people/311' },
        device_information: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
      },
    ],
  },
)
export type RegistrationRequest = Static<typeof RegistrationRequest>

export const registrationRequestSearch = {
  status: choiceField(registrationRequestStatuses),
  requested_at: timeField,
  requester_message: textField,
} as const satisfies SearchFields

const optionalText = (description: string) => Type.Optional(Nullable(Text(description, { maxLength: 5_000 })))

export const RegistrationRequestDecision = Type.Object(
  {
    status: Choice(['approved', 'denied'], 'What is decided.'),
    internal_message: optionalText('A note for other administrators.'),
    internal_denial_reason: optionalText(
      'Deprecated name of `internal_message`; read only when the request is denied without one.',
    ),
    end_user_denial_message: optionalText('Why the request is denied, for the requester; needed when it is denied.'),
  },
  {
    title: 'RegistrationRequestDecision',
    description: 'The decision on a pending registration request.',
    examples: [
      { status: 'approved', internal_message: 'Bought on order 4711.' },
      { status: 'denied', end_user_denial_message: 'Please use the laptop that we gave you.' },
    ],
  },
)
export type RegistrationRequestDecision = Static<typeof RegistrationRequestDecision>
