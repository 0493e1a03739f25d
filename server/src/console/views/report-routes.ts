import { queryViewOperations } from '@muster/contract/operations/console-queries.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { createQuery } from '../../reporting/queries/create-query.ts'
import { deleteQuery } from '../../reporting/queries/delete-query.ts'
import { editQuery } from '../../reporting/queries/edit-query.ts'
import { presentQuery } from '../../reporting/queries/present.ts'
import { findQuery } from '../../reporting/queries/queries.ts'
import { requestRun } from '../../reporting/queries/request-run.ts'
import { dailyInterval } from '../../reporting/queries/rules.ts'

/** Reporting queries are read through the API and made here. */
export function reportViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...queryViewOperations.createReportingQuery,
    run: ({ db, organizationId, body: { name, sql, interval_seconds: interval = dailyInterval }, context }) =>
      transact(db, async (tx) => {
        const id = await createQuery(tx, { name: name.trim(), sql, interval }, context)
        return presentQuery(orNotFound(await findQuery(tx, organizationId, id)))
      }),
  })

  endpoint(scope, {
    ...queryViewOperations.editReportingQuery,
    run: ({ db, organizationId, params: { id }, body: { name, sql, interval_seconds: interval }, context }) =>
      transact(db, async (tx) => {
        await editQuery(tx, { id, name: name?.trim(), sql, interval }, context)
        return presentQuery(orNotFound(await findQuery(tx, organizationId, id)))
      }),
  })

  endpoint(scope, {
    ...queryViewOperations.deleteReportingQuery,
    run: ({ db, params: { id }, context }) => transact(db, (tx) => deleteQuery(tx, { id }, context)),
  })

  runRoutes(scope)
}

function runRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...queryViewOperations.runReportingQuery,
    run: ({ db, organizationId, params: { queryId } }) =>
      transact(db, async (tx) => {
        orNotFound(await findQuery(tx, organizationId, queryId))
        await requestRun(tx, organizationId, queryId)
      }),
  })

  endpoint(scope, {
    ...queryViewOperations.getReportingQueryTimes,
    run: async ({ db, organizationId, params: { queryId } }) => {
      const query = orNotFound(await findQuery(db, organizationId, queryId))
      return { interval_seconds: query.interval_seconds, next_run_at: query.next_run_at, failed_at: query.failed_at }
    },
  })
}
