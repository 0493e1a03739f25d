import Type, { type Static } from 'typebox'
import { Choice, Identifier, Nullable, Text } from './schema-kit.ts'

export const FindQuery = Type.Object(
  { q: Text('A part of a name, serial number or e-mail address.', { minLength: 2, maxLength: 200 }) },
  { title: 'FindQuery', description: 'What to look for.', examples: [{ q: 'ana' }] },
)

const Found = Type.Object(
  {
    kind: Choice(['device', 'person', 'check'], 'What kind of record it is.'),
    id: Identifier('Identifier of the record.'),
    name: Text('Name of the record.'),
    detail: Nullable(
      Text(
        'Owner, state and serial number of a device, or e-mail address of a person: tells records of one name apart.',
      ),
    ),
  },
  { description: 'A record that was found.' },
)

/** What the search above the pages has found. */
export const FindAnswer = Type.Object(
  { data: Type.Array(Found, { description: 'People, devices and checks; at most 6 of each.' }) },
  {
    title: 'FindAnswer',
    description: 'Records whose names have the text.',
    examples: [
      { data: [{ kind: 'device', id: '1042', name: 'ana-ruiz-mbp14', detail: 'Ana Ruiz · Blocked · C02XL0GTJGH5' }] },
    ],
  },
)
export type FindAnswer = Static<typeof FindAnswer>
