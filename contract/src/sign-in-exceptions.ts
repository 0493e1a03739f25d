import Type, { type Static } from 'typebox'
import { Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

const about = <Example>(title: string, description: string, example: Example) => ({
  title,
  description,
  examples: [example],
})
const aboutBody = <Example>(title: string, description: string, example: Example) => ({
  ...about(title, description, example),
  additionalProperties: false,
})

const Reason = Text('Why, for the audit log and the sign-in log.', { minLength: 1, maxLength: 200 })

export const SignInPause = Type.Object(
  {
    minutes: Type.Integer({ minimum: 1, maximum: 1_440, description: 'How long it lasts, a day at most.' }),
    reason: Reason,
  },
  aboutBody('SignInPause', 'A pause of a sign-in connection.', { minutes: 240, reason: 'The agent update of today' }),
)
export type SignInPause = Static<typeof SignInPause>

export const PausedSignIn = Type.Object(
  { paused_until: Timestamp('When it enforces again by itself.') },
  about('PausedSignIn', 'How long a pause lasts.', { paused_until: '2026-11-20T14:00:00.000Z' }),
)
export type PausedSignIn = Static<typeof PausedSignIn>

export const BypassCodeCreation = Type.Object(
  {
    person_id: Identifier('The person whom it lets in.'),
    connection_id: Identifier('The connection that it opens.'),
    hours: Type.Integer({ minimum: 1, maximum: 8, description: 'How long it can be used, eight hours at most.' }),
    reason: Reason,
  },
  aboutBody('BypassCodeCreation', 'A code that lets a person in once without the check of their device.', {
    person_id: '311',
    connection_id: '3',
    hours: 4,
    reason: 'Loaner laptop',
  }),
)
export type BypassCodeCreation = Static<typeof BypassCodeCreation>

/** Shown once. */
export const NewBypassCode = Type.Object(
  {
    id: Identifier('Identifier of the code.'),
    code: Text('The code to read to the person. It is not shown again.'),
    expires_at: Timestamp('When it ends.'),
  },
  about('NewBypassCode', 'A code from IT, which is shown this once.', {
    id: '12',
    code: 'R4TKQ-7ZM2H',
    expires_at: '2026-11-20T14:00:00.000Z',
  }),
)
export type NewBypassCode = Static<typeof NewBypassCode>

export const BypassCodeView = Type.Object(
  {
    id: Identifier('Identifier of the code.'),
    person_id: Identifier('The person whom it lets in.'),
    person_name: Text('Name of the person.'),
    connection_id: Identifier('The connection that it opens.'),
    connection_name: Text('Name of the connection.'),
    reason: Text('Why it was given.'),
    made_by: Text('Who gave it.'),
    created_at: Timestamp('When it was given.'),
    expires_at: Timestamp('When it ends.'),
    used_at: Nullable(Timestamp('When the person used it; null before.')),
    withdrawn_at: Nullable(Timestamp('When it was withdrawn; null unless it was.')),
  },
  about('BypassCodeView', 'A code from IT in a list of the console, without the code itself.', {
    id: '12',
    person_id: '311',
    person_name: 'Ana Ruiz',
    connection_id: '3',
    connection_name: 'Payroll',
    reason: 'Loaner laptop',
    made_by: 'Maya Lindqvist',
    created_at: '2026-11-20T10:00:00.000Z',
    expires_at: '2026-11-20T14:00:00.000Z',
    used_at: null,
    withdrawn_at: null,
  }),
)
export type BypassCodeView = Static<typeof BypassCodeView>

export const BypassCodeViewFilter = Type.Object(
  {
    person_id: Type.Optional(Identifier('Only codes of this person.')),
    connection_id: Type.Optional(Identifier('Only codes of this connection.')),
  },
  { title: 'BypassCodeViewFilter', description: 'What narrows the list of codes.', examples: [{ person_id: '311' }] },
)
export type BypassCodeViewFilter = Static<typeof BypassCodeViewFilter>
