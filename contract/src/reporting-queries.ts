import Type, { type Static } from 'typebox'
import { Count, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

export const ReportingQueryResult = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  title: 'ReportingQueryResult',
  description: 'A row of a reporting query: whatever columns its SQL has.',
  additionalProperties: true,
  examples: [{ device_id: '1042', device_name: "Tomas's MacBook Pro", failing_checks: 3 }],
})
export type ReportingQueryResult = Static<typeof ReportingQueryResult>

export const ReportingQuery = Type.Object(
  {
    id: Identifier('Identifier of the query.'),
    name: Text('Name of the query.'),
    osquery_sql: Text('The SQL, in the dialect of PostgreSQL, over the reporting tables.'),
    result_count: Count('How many rows the latest run gave.'),
    results_truncated: Flag('Whether the latest run had more rows than are kept: 10,000, or 5 MB of them.'),
    results_updated_at: Nullable(Timestamp('When the rows were read; null until a run succeeded.')),
    error_message: Nullable(
      Text('Why the last attempt to run the query failed; null when it did not. The rows are those of the run before.'),
    ),
    created_at: Timestamp('When the query was made.'),
    results: Type.Optional(
      Type.Array(ReportingQueryResult, {
        description:
          'The first rows of the latest run: at most 1,000, and no more than keep the answer below 2 MB; the queries of a list share 400 kB alike. Left out with `omit_results`.',
      }),
    ),
  },
  {
    title: 'ReportingQuery',
    description: 'SQL that administrators wrote over the reporting tables, and the first rows of its latest run.',
    examples: [
      {
        id: '12',
        name: 'Devices by failing checks',
        osquery_sql:
          "select device_id, device_name, count(*) as failing_checks from check_results where status = 'failing' group by 1, 2",
        result_count: 1,
        results_truncated: false,
        results_updated_at: '2026-11-20T04:00:00.000Z',
        error_message: null,
        created_at: '2026-01-15T13:20:00.000Z',
        results: [{ device_id: '1042', device_name: "Tomas's MacBook Pro", failing_checks: 3 }],
      },
    ],
  },
)
export type ReportingQuery = Static<typeof ReportingQuery>

export const ReportingQueryOptions = Type.Object(
  {
    omit_results: Type.Optional(Text('`1` or `true` leaves `results` out.')),
  },
  {
    title: 'ReportingQueryOptions',
    description: 'What a reporting query is answered with.',
    examples: [{ omit_results: '1' }],
  },
)
export type ReportingQueryOptions = Static<typeof ReportingQueryOptions>
