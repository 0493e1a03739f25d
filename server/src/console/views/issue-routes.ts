import { issueViewOperations } from '@muster/contract/operations/console-issues.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { endExemption } from '../../compliance/exemptions/end-exemption.ts'
import { exemptCheck } from '../../compliance/exemptions/exempt-check.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { placeOf } from './chosen-order.ts'
import { describeIssue, describeIssueFacts } from './describe-issues.ts'
import { issueColumns } from './export-columns.ts'
import {
  countIssueViews,
  findIssueFacts,
  listIssueViews,
  listRequestsForIssue,
  listSameIssues,
} from './issue-queries.ts'
import { csvOf } from './note-export.ts'
import { listOwnerIssues } from './owner-issues.ts'

const listSorted: typeof listIssueViews = (db, page, options) => {
  if (options.sort === 'blocks_at' && (options.state === 'all' || options.state === 'resolved')) {
    fail('invalid', { errors: [{ field: 'sort', message: 'by deadline is for open issues' }] })
  }
  return listIssueViews(db, page, options)
}

export function issueViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...issueViewOperations.listIssueViews,
    list: listSorted,
    present: describeIssue,
    cursorOf: placeOf,
    count: countIssueViews,
    csv: csvOf('issues', issueColumns),
  })

  endpoint(scope, {
    ...issueViewOperations.getIssueFacts,
    run: async ({ db, organizationId, params: { issueId } }) => {
      const row = orNotFound(await findIssueFacts(db, organizationId, issueId))
      const [requests, earlier] = await Promise.all([
        listRequestsForIssue(db, organizationId, issueId),
        listSameIssues(db, organizationId, row),
      ])
      return describeIssueFacts(row, { requests, earlier })
    },
  })

  endpoint(scope, {
    ...issueViewOperations.listOwnerIssues,
    run: ({ db, organizationId, query }) =>
      listOwnerIssues(db, organizationId, [...new Set(query.device_ids.split(','))]),
  })

  addExemptions(scope)
}

/** The API grants what owners ask for; administrators exempt without being asked. */
function addExemptions(scope: FastifyInstance): void {
  endpoint(scope, {
    ...issueViewOperations.exemptCheckOnDevice,
    run: ({ db, params: { deviceId, checkId }, body, context }) =>
      transact(db, (tx) => {
        const expiresAt = body.expires_at === null ? null : new Date(body.expires_at).toISOString()
        const about = { deviceId, checkId, reason: body.reason, expiresAt }
        return exemptCheck(tx, about, context)
      }),
  })

  endpoint(scope, {
    ...issueViewOperations.endExemptionOfCheckOnDevice,
    run: ({ db, params: { deviceId, checkId }, context }) =>
      transact(db, (tx) => endExemption(tx, { deviceId, checkId }, context)),
  })
}
