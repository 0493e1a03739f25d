import Type, { type Static } from 'typebox'
import { LiveQueryCampaign, LiveQueryResult } from './live-queries.ts'
import { Choice, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

/** A row of the list of live queries. */
export const LiveQueryView = Type.Object(
  { ...LiveQueryCampaign.properties, started_at: Timestamp('When its present revision began.') },
  {
    title: 'LiveQueryView',
    description: 'A live query in a list of the console.',
    examples: [
      {
        id: '81',
        name: 'Who listens on port 22',
        osquery_sql: 'SELECT pid, address FROM listening_ports WHERE port = 22',
        created_at: '2026-11-20T09:14:03.120Z',
        started_at: '2026-11-20T09:14:03.120Z',
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
export type LiveQueryView = Static<typeof LiveQueryView>

export const LiveQueryViewFilter = Type.Object(
  { search: Type.Optional(Text('A part of the name or of the SQL.', { maxLength: 200 })) },
  { title: 'LiveQueryViewFilter', description: 'What narrows the list.', examples: [{ search: 'port' }] },
)
export type LiveQueryViewFilter = Static<typeof LiveQueryViewFilter>

/** What one device answered, with its name. */
export const LiveAnswerView = Type.Object(
  {
    id: LiveQueryResult.properties.id,
    device_id: Identifier('Identifier of the device.'),
    device_name: Text('Name of the device.'),
    row_count: Type.Integer({ minimum: 0, description: 'How many rows it answered; `results` may hold fewer.' }),
    kept_count: Type.Integer({ minimum: 0, description: 'How many of them are kept.' }),
    error_message: LiveQueryResult.properties.error_message,
    warning_message: LiveQueryResult.properties.warning_message,
    results: LiveQueryResult.properties.results,
  },
  {
    title: 'LiveAnswerView',
    description: 'What a device answered to a live query, in a list of the console.',
    examples: [
      {
        id: '90017',
        device_id: '1042',
        device_name: 'ana-ruiz-mbp14',
        row_count: 1,
        kept_count: 1,
        error_message: null,
        warning_message: null,
        results: [{ pid: '812', address: '0.0.0.0' }],
      },
    ],
  },
)
export type LiveAnswerView = Static<typeof LiveAnswerView>

export const LiveAnswerFilter = Type.Object(
  { kind: Type.Optional(Choice(['rows', 'errors'], 'Only devices that ran the SQL, or that could not.')) },
  { title: 'LiveAnswerFilter', description: 'What narrows the answers.', examples: [{ kind: 'rows' }] },
)
export type LiveAnswerFilter = Static<typeof LiveAnswerFilter>

const name = () => Text('Name of the query.', { minLength: 1, maxLength: 200, pattern: '\\S' })
const statement = () => Text('One SELECT over the reporting tables.', { minLength: 1, maxLength: 64_000 })
const interval = () => Type.Integer({ minimum: 3_600, maximum: 2_592_000, description: 'Seconds between two runs.' })

export const NewReportingQuery = Type.Object(
  { name: name(), sql: statement(), interval_seconds: Type.Optional(interval()) },
  {
    title: 'NewReportingQuery',
    description: 'A reporting query to make; it runs at once.',
    examples: [{ name: 'Devices by platform', sql: 'select device_type, count(*) from devices group by 1' }],
    additionalProperties: false,
  },
)

export const ReportingQueryChange = Type.Object(
  { name: Type.Optional(name()), sql: Type.Optional(statement()), interval_seconds: Type.Optional(interval()) },
  {
    title: 'ReportingQueryChange',
    description: 'What to change of a reporting query; what is left out stays.',
    examples: [{ name: 'Devices by platform' }],
    additionalProperties: false,
  },
)

/** When a reporting query runs. */
export const ReportingQueryTimes = Type.Object(
  {
    interval_seconds: interval(),
    next_run_at: Timestamp(
      'When it runs next: on its schedule, or sooner where the latest run failed by a fault of the moment.',
    ),
    failed_at: Nullable(Timestamp('When the latest run failed; null while it has not.')),
  },
  {
    title: 'ReportingQueryTimes',
    description: 'When a reporting query runs.',
    examples: [{ interval_seconds: 86_400, next_run_at: '2026-11-21T04:00:00.000Z', failed_at: null }],
  },
)
export type ReportingQueryTimes = Static<typeof ReportingQueryTimes>
