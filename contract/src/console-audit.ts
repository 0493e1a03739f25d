import Type, { type Static } from 'typebox'
import { Count, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

/** Whether the audit log is as it was written. */
export const AuditChain = Type.Object(
  {
    verified: Nullable(
      Type.Object(
        {
          at: Timestamp('When the log was walked along last.'),
          is_intact: Flag('Whether every entry was as it was written, and followed the one before.'),
          entries_count: Count('How many entries were walked along; 0 where a fault was found.'),
          last_id: Identifier('The entry up to which it holds; `0` where it was empty.'),
          fault: Nullable(Text('What does not hold; null while it does.')),
          faulty_id: Nullable(Identifier('The first entry that does not hold; null where the log ends too early.')),
        },
        { description: 'What the latest walk has found.' },
      ),
      { description: 'What the latest walk has found; null before the first.' },
    ),
    last_id: Identifier('The latest entry now; `0` while there is none.'),
  },
  {
    title: 'AuditChain',
    description: 'Whether the audit log is as it was written.',
    examples: [
      {
        verified: {
          at: '2026-11-20T04:11:00.000Z',
          is_intact: true,
          entries_count: 9_112,
          last_id: '90211',
          fault: null,
          faulty_id: null,
        },
        last_id: '90214',
      },
    ],
  },
)
export type AuditChain = Static<typeof AuditChain>
