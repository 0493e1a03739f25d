import Type, { type Static } from 'typebox'
import { Choice, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { identifierField } from './search-fields.ts'

/** Why a device does not report a table. */
export const tableProblemTypes = ['denied', 'missing', 'failed'] as const
export type TableProblemType = (typeof tableProblemTypes)[number]

export const ReportingTable = Type.Object(
  {
    name: Text('Name of the table, in SQL as well.'),
    category: Text('What the table is about.'),
    description: Text('What the table holds.'),
    column_names: Type.Array(Text('Name of a column.'), { description: 'The columns, in their order.' }),
    searchable_fields: Type.Array(Text('Name of a column.'), {
      description: 'The columns that the records of the table can be searched by.',
    }),
    documentation_url: Text('Address of a description of the table and its columns.', { format: 'uri' }),
  },
  {
    title: 'ReportingTable',
    description:
      'A table of the organization that its records can be read from and reporting queries can be written over.',
    examples: [
      {
        name: 'device_uptime',
        category: 'System',
        description: 'For how many days the device has been running.',
        column_names: ['device_id', 'device_name', 'taken_at', 'days'],
        searchable_fields: ['device_id'],
        documentation_url: 'https://muster.example/docs/reporting#device_uptime',
      },
    ],
  },
)
export type ReportingTable = Static<typeof ReportingTable>

export const TableRecord = Type.Unsafe<{ id: string } & Record<string, string>>({
  type: 'object',
  title: 'TableRecord',
  description: 'A row of a reporting table: its identifier and every column of the table, all as text.',
  required: ['id'],
  properties: { id: Identifier('Identifier of the row; it changes when the row does.') },
  additionalProperties: { type: 'string' },
  examples: [
    {
      id: '90412',
      device_id: '1042',
      device_name: "Tomas's MacBook Pro",
      taken_at: '2026-11-20T08:41:12.000Z',
      days: '12',
    },
  ],
})
export type TableRecord = Static<typeof TableRecord>

export const DeviceTable = Type.Object(
  {
    name: Text('Name of the table.'),
    taken_at: Nullable(Timestamp('When the device last reported the table; null until it has.')),
    problem: Nullable(
      Type.Object(
        {
          type: Choice(
            tableProblemTypes,
            '`denied`: the agent does not run the query for a day, since it ended while it ran it. `missing`: the agent does not have the table. `failed`: the query failed on the device.',
          ),
          message: Text('What the agent said, at most 500 characters.'),
          since: Timestamp('Since when the table does not come for a reason of this type.'),
        },
        { description: 'Why the table does not come.' },
      ),
      {
        description:
          'Why the table does not come; null where nothing is known to be wrong. The records from before stay.',
      },
    ),
  },
  {
    title: 'DeviceTable',
    description: 'A reporting table that a device is asked for, and how it stands.',
    examples: [
      { name: 'device_uptime', taken_at: '2026-11-20T08:41:12.000Z', problem: null },
      {
        name: 'device_users',
        taken_at: null,
        problem: {
          type: 'denied',
          message: 'distributed query is denylisted',
          since: '2026-11-20T08:41:12.000Z',
        },
      },
    ],
  },
)
export type DeviceTable = Static<typeof DeviceTable>

/** Each table has one of these; the others are refused there. */
export const tableRecordSearch = {
  device_id: identifierField,
  check_id: identifierField,
  person_id: identifierField,
} as const satisfies SearchFields

export type ReportingSearchField = keyof typeof tableRecordSearch
