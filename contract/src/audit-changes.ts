import Type, { type Static } from 'typebox'
import { Text } from './schema-kit.ts'

export const AuditChange = Type.Object(
  {
    field: Text('What was changed, by the name that the API has for it.'),
    from: Type.Unknown({ description: 'The value before; text of more than 2,000 characters is cut.' }),
    to: Type.Unknown({ description: 'The value after.' }),
  },
  {
    title: 'AuditChange',
    description: 'One value before and after a change.',
    examples: [{ field: 'block_auth_grace_period_days', from: 7, to: 3 }],
  },
)
export type AuditChange = Static<typeof AuditChange>
