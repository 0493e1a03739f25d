import { orNotFound } from '../../base/errors.ts'
import { createQuery } from '../../reporting/queries/create-query.ts'
import { deleteQuery } from '../../reporting/queries/delete-query.ts'
import { editQuery } from '../../reporting/queries/edit-query.ts'
import { findQuery, listQueries } from '../../reporting/queries/queries.ts'
import { dailyInterval } from '../../reporting/queries/rules.ts'
import { runQuery } from '../../reporting/queries/run-query.ts'
import { tableNames } from '../../reporting/queries/table-names.ts'
import { QueryRefused } from '../../reporting/sandbox/query-refused.ts'
import { tryInSandbox } from '../../reporting/sandbox/run-in-sandbox.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import type { CommandContext } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { printResults } from './print-results.ts'
import { reportGroup } from './report-group.ts'

export const reportCommands = implement(reportGroup, {
  async create(context, { organization: named, name, sql, everySeconds }, io) {
    await io.line(
      await changeIn(context, named, (tx, change) =>
        createQuery(tx, { name, sql, interval: everySeconds ?? dailyInterval }, change),
      ),
    )
  },

  async list({ connection, now }, args, io) {
    const { id: organizationId } = await organizationOf(connection.db, args.organization)
    const rows: (string | null)[][] = []
    const page = { organizationId, params: {}, search: undefined, order: 'ascending', now } as const
    for (let after: string | undefined; ; ) {
      const queries = await listQueries(connection.db, { ...page, after, limit: 100 })
      for (const query of queries) {
        const state = query.error_message ?? (query.ran_at === null ? 'has not run' : `${query.result_count} rows`)
        rows.push([query.id, query.name, query.ran_at, query.next_run_at, state])
      }
      if (queries.length < 100) break
      after = queries.at(-1)?.id
    }
    for (const line of alignColumns(['ID', 'NAME', 'RAN', 'NEXT RUN', 'STATE'], rows)) await io.line(line)
  },

  async show({ connection, now }, { organization: named, id, format }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const query = orNotFound(await findQuery(connection.db, organizationId, id))
    if (query.error_message !== null) await io.error(`The last run failed: ${query.error_message}`)
    if (query.is_truncated) await io.error('The query had more rows than are kept.')
    if (query.ran_at === null) throw new CommandError(exitCodes.failure, 'There are no rows: no run succeeded yet')
    if (query.result_count === 0) await io.error('The query has no rows.')
    await printResults(connection.db, { organizationId, query, format, now }, io)
  },

  async run({ connection, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const outcome = await runQuery(connection, { organizationId, queryId: id }, () => now)
    if (outcome === 'running') throw new CommandError(exitCodes.failure, 'The query is running already')
    const query = orNotFound(await findQuery(connection.db, organizationId, id))
    if (outcome === 'failed') throw new CommandError(exitCodes.failure, query.error_message ?? 'The query failed')
    await io.line(`${query.result_count} rows`)
  },

  async edit(context, { organization: named, id, name, sql, everySeconds }) {
    await changeIn(context, named, (tx, change) => editQuery(tx, { id, name, sql, interval: everySeconds }, change))
  },

  async delete(context, { organization: named, id }) {
    await changeIn(context, named, (tx, change) => deleteQuery(tx, { id }, change))
  },

  async check({ connection }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const refusal = await refusalOf(connection, id, args.sql)
    if (refusal !== undefined) throw new CommandError(exitCodes.failure, refusal)
    await io.line('The query may run.')
  },
})

async function refusalOf(
  connection: CommandContext['connection'],
  organizationId: string,
  text: string,
): Promise<string | undefined> {
  try {
    await tryInSandbox(connection, { organizationId, sql: text, tables: tableNames })
    return undefined
  } catch (error) {
    if (error instanceof QueryRefused) return error.message
    throw error
  }
}
