import Type, { type Static, type TSchema } from 'typebox'
import { Count, Text } from './schema-kit.ts'

export const defaultPerPage = 25

export const ListQuery = Type.Object(
  {
    cursor: Type.Optional(
      Text('Where the page begins, from `next_cursor` of the page before; blank for the first page.', { default: '' }),
    ),
    per_page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: defaultPerPage,
        description: 'How many records a page holds at most.',
      }),
    ),
    query: Type.Optional(
      Text(
        'Search clauses joined by AND and OR, at most 50 and 2 kB, such as `name~"laptop"`; blank finds everything.',
      ),
    ),
  },
  { title: 'ListQuery', description: 'How a list is searched and paged.', examples: [{ cursor: '', per_page: 25 }] },
)
export type ListQuery = Static<typeof ListQuery>

// No uri format on `next`: it is blank on the last page, which the format would forbid.
export const Pagination = Type.Object(
  {
    next: Text('Full address of the next page; blank on the last one.'),
    current_cursor: Text('The cursor that gave this page; blank on the first one.'),
    next_cursor: Text('The cursor of the next page; blank on the last one.'),
    count: Count('How many records this page holds.'),
  },
  {
    title: 'Pagination',
    description: 'Where this page stands in the list and how to continue.',
    examples: [
      {
        next: 'https://muster.example.com/devices?cursor=eyJhIjoiMTA0MiJ9&per_page=25',
        current_cursor: '',
        next_cursor: 'eyJhIjoiMTA0MiJ9',
        count: 25,
      },
    ],
  },
)
export type Pagination = Static<typeof Pagination>

/** The body of every list answer; named after its record, so that documents and generated clients have it once. */
export const envelope = <Schema extends TSchema>(record: Schema) =>
  Type.Object(
    { data: Type.Array(record, { description: 'The records of this page.' }), pagination: Pagination },
    { ...('title' in record && { title: `${record.title}Page` }), description: 'One page of a list.' },
  )

export const RowCount = Type.Object(
  { count: Count('How many there are.') },
  { title: 'RowCount', description: 'How many records a filter finds.', examples: [{ count: 74 }] },
)
export type RowCount = Static<typeof RowCount>

/** What a list takes in addition, where it answers in these forms. */
export const listForms = {
  format: Type.Optional(Type.Literal('csv', { description: 'Answers all records as one CSV file instead of a page.' })),
  count: Type.Optional(Type.Boolean({ description: 'Answers how many records there are instead of a page.' })),
}
