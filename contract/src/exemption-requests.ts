import Type, { type Static } from 'typebox'
import { Choice, Identifier, Link, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, textField, timeField } from './search-fields.ts'

const exemptionRequestStatuses = ['open', 'withdrawn', 'approved', 'denied'] as const

export const ExemptionRequest = Type.Object(
  {
    id: Identifier('Identifier of the request.'),
    status: Choice(exemptionRequestStatuses, 'What has become of the request.'),
    internal_explanation: Nullable(
      Text('What the administrator who decided noted for other administrators; null until someone has decided.'),
    ),
    denial_explanation: Nullable(Text('Why the request was denied, for the requester; null unless it was.')),
    requested_at: Timestamp('When the request was made.'),
    requester_message: Text('Why the requester asks for the exemption.'),
    requester_information: Link('The person who made the request.'),
    device_information: Link('The device that has the issues.'),
    issues: Type.Array(Link('An issue that the request is about.'), {
      description: 'The issues to exempt.',
    }),
  },
  {
    title: 'ExemptionRequest',
    description: 'That the owner of a device asks for issues to be exempted.',
    examples: [
      {
        id: '87',
        status: 'denied',
        internal_explanation: 'The build server is no exception.',
        denial_explanation: 'Please move the key into the agent; the help desk shows you how.',
        requested_at: '2026-11-20T09:14:03.120Z',
        requester_message: 'The deployment needs this key without a passphrase.',
        requester_information: { identifier: '311', link: 'https://muster.example.com/people/311' },
        device_information: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
        issues: [{ identifier: '7719', link: 'https://muster.example.com/issues/7719' }],
      },
    ],
  },
)
export type ExemptionRequest = Static<typeof ExemptionRequest>

export const exemptionRequestSearch = {
  status: choiceField(exemptionRequestStatuses),
  requested_at: timeField,
  requester_message: textField,
} as const satisfies SearchFields

const longest = { maxLength: 5_000 }

export const ExemptionRequestDecision = Type.Object(
  {
    status: Choice(['approved', 'denied'], 'What is decided.'),
    internal_message: Type.Optional(
      Text('A note for other administrators. This or `reviewer_note` is required.', longest),
    ),
    reviewer_note: Type.Optional(Text('Another name for `internal_message`; read if that is missing.', longest)),
    denial_explanation: Type.Optional(
      Nullable(Text('Why the request is denied, for the requester; needed when it is denied.', longest)),
    ),
  },
  {
    title: 'ExemptionRequestDecision',
    description: 'The decision on an open exemption request.',
    examples: [
      { status: 'approved', internal_message: 'Until the build server is replaced.' },
      {
        status: 'denied',
        internal_message: 'The build server is no exception.',
        denial_explanation: 'Please move the key into the agent; the help desk shows you how.',
      },
    ],
  },
)
export type ExemptionRequestDecision = Static<typeof ExemptionRequestDecision>
