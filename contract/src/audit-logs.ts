import Type, { type Static } from 'typebox'
import { Choice, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { textField, timeField } from './search-fields.ts'

export const actorTypes = ['User', 'ApiKey', 'System', 'Person'] as const
export type ActorType = (typeof actorTypes)[number]

const AuditLogActor = Type.Object(
  {
    actor_name: Text('Name of the administrator, API key, person or part of the service that acted.'),
    actor_email: Nullable(Text('E-mail address of the actor; null for API keys and the service itself.')),
    actor_type: Choice(actorTypes, 'Whether an administrator, an API key, the service or an end user acted.'),
  },
  { description: 'Who acted.' },
)

export const AuditLog = Type.Object(
  {
    id: Identifier('Identifier of the entry.'),
    timestamp: Timestamp('When the action took place.'),
    actor_name: Text('Name of the actor, as it was then.'),
    description: Text('What was done, as one sentence in the past tense.'),
    actor_info: AuditLogActor,
  },
  {
    title: 'AuditLog',
    description: 'One action that changed or revealed something in the organization.',
    examples: [
      {
        id: '90211',
        timestamp: '2026-11-20T09:14:03.120Z',
        actor_name: 'Maya Lindqvist',
        description: 'Changed the grace period of the check "FileVault is on" from 7 to 3 days.',
        actor_info: { actor_name: 'Maya Lindqvist', actor_email: 'maya@acme.example', actor_type: 'User' },
      },
    ],
  },
)
export type AuditLog = Static<typeof AuditLog>

export const auditLogSearch = {
  timestamp: timeField,
  actor_name: textField,
  description: textField,
} as const satisfies SearchFields
