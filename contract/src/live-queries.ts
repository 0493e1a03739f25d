import Type, { type Static } from 'typebox'
import { Count, Flag, Identifier, IdentifierInput, Link, Nullable, Row, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { flagField, nullableTextField, textField, timeField } from './search-fields.ts'

/** How many rows of an answer are stored, and paged, together. */
export const maxRowsInPart = 1_000

export const LiveQueryCampaign = Type.Object(
  {
    id: Identifier('Identifier of the campaign.'),
    name: Text('Name of the campaign.'),
    osquery_sql: Text('The osquery SQL that devices run.'),
    created_at: Timestamp('When the campaign was made.'),
    published: Flag('Whether everyone who may read sees the campaign; so it is for all that are made through the API.'),
    revision: Count('Starts at 1 and grows by one whenever the SQL or the targets change and devices run it again.'),
    tables_used: Type.Array(Type.String(), { description: 'The osquery tables that the SQL reads, sorted.' }),
    successful_devices_count: Count('How many devices have answered with rows or with none.'),
    errored_devices_count: Count('How many devices could not run the SQL, or did not come online in time.'),
    waiting_devices_count: Count('How many devices have not answered yet.'),
  },
  {
    title: 'LiveQueryCampaign',
    description: 'One osquery statement that chosen devices run as soon as they are online.',
    examples: [
      {
        id: '81',
        name: 'Who listens on port 22',
        osquery_sql: 'SELECT pid, address FROM listening_ports WHERE port = 22',
        created_at: '2026-11-20T09:14:03.120Z',
        published: true,
        revision: 1,
        tables_used: ['listening_ports'],
        successful_devices_count: 231,
        errored_devices_count: 2,
        waiting_devices_count: 17,
      },
    ],
  },
)
export type LiveQueryCampaign = Static<typeof LiveQueryCampaign>

export const liveQueryCampaignSearch = {
  created_at: timeField,
  name: textField,
  published: flagField,
  tables_used: { kind: 'string_list', operators: [':', '~'], multiple: true },
} as const satisfies SearchFields

const name = Text('What to call the campaign.', { minLength: 1, maxLength: 200 })
const sql = Text('One SELECT statement of osquery; tables that the operator has blocked are refused.', {
  minLength: 1,
  maxLength: 64_000,
})

const targets = {
  targeted_device_ids: Type.Optional(
    Type.Array(IdentifierInput('Identifier of a device.'), {
      maxItems: 10_000,
      description: 'Devices that run the SQL, in addition to those of the other targets.',
    }),
  ),
  target_all_devices: Type.Optional(Flag('Whether all computers run the SQL.')),
  target_macs: Type.Optional(Flag('Whether all Macs run the SQL.')),
  target_windows_devices: Type.Optional(Flag('Whether all Windows computers run the SQL.')),
  target_linux_devices: Type.Optional(Flag('Whether all Linux computers run the SQL.')),
}

export const LiveQueryCampaignRequest = Type.Object(
  {
    ...targets,
    sql,
    name: Type.Optional({
      ...name,
      description: 'What to call the campaign; without it, the first 100 characters of the SQL.',
    }),
  },
  {
    title: 'LiveQueryCampaignRequest',
    description: 'A live query and the devices that run it; at least one device must be targeted.',
    examples: [
      {
        targeted_device_ids: ['1042', 1043],
        target_linux_devices: true,
        sql: 'SELECT pid, address FROM listening_ports WHERE port = 22',
        name: 'Who listens on port 22',
      },
    ],
  },
)
export type LiveQueryCampaignRequest = Static<typeof LiveQueryCampaignRequest>

export const LiveQueryCampaignChange = Type.Object(
  { ...targets, sql: Type.Optional(sql), name: Type.Optional(name) },
  {
    title: 'LiveQueryCampaignChange',
    description: 'What to change of a live query; what is left out stays.',
    examples: [{ sql: 'SELECT pid, address FROM listening_ports WHERE port = 2222' }],
  },
)
export type LiveQueryCampaignChange = Static<typeof LiveQueryCampaignChange>

export const LiveQueryResult = Type.Object(
  {
    id: Identifier('Identifier of the result.'),
    result_count: Text('How many rows the device returned, as decimal digits; `results` may hold fewer.'),
    kept_count: Text('How many of them are kept, as decimal digits; `rows_url` has them all.'),
    rows_url: Text('Address of the list of all rows that are kept.', { format: 'uri' }),
    error_message: Nullable(Text('Why the device has no rows to show; null when it ran the SQL.')),
    revision: Count('The revision of the campaign that the device ran.'),
    warning_message: Nullable(Text('What was left out of `results`; null when they are whole.')),
    device_information: Link('The device that answered.'),
    results: Type.Array(Row('One row, every value as text.'), {
      description: 'The first rows that the device returned: at most 1,000, and 100,000 characters of JSON.',
    }),
  },
  {
    title: 'LiveQueryResult',
    description: 'What one device answered to a live query.',
    examples: [
      {
        id: '90017',
        result_count: '1',
        kept_count: '1',
        rows_url: 'https://muster.example.com/live_query_campaigns/81/query_results/90017/rows',
        error_message: null,
        revision: 1,
        warning_message: null,
        device_information: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
        results: [{ pid: '812', address: '0.0.0.0' }],
      },
    ],
  },
)
export type LiveQueryResult = Static<typeof LiveQueryResult>

export const LiveQueryRows = Type.Object(
  {
    id: Identifier('Number of the first of these rows; those of a result count from 1.'),
    results: Type.Array(Row('One row, every value as text.'), { description: 'Rows, in the order of the device.' }),
  },
  {
    title: 'LiveQueryRows',
    description: 'Rows of what one device answered to a live query.',
    examples: [{ id: '1', results: [{ pid: '812', address: '0.0.0.0' }] }],
  },
)
export type LiveQueryRows = Static<typeof LiveQueryRows>

export const liveQueryResultSearch = {
  error_message: nullableTextField,
  warning_message: nullableTextField,
} as const satisfies SearchFields
