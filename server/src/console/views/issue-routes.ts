import { CheckExemption, IssueFacts, IssueView, IssueViewListing } from '@muster/contract/console-issues.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { endExemption } from '../../compliance/exemptions/end-exemption.ts'
import { exemptCheck } from '../../compliance/exemptions/exempt-check.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { placeOf } from './chosen-order.ts'
import { describeIssue, describeIssueFacts } from './describe-issues.ts'
import { findIssueFacts, listIssueViews, listRequestsForIssue, listSameIssues } from './issue-queries.ts'

const tag = 'Console'

const listSorted: typeof listIssueViews = (db, page, options) => {
  if (options.sort === 'blocks_at' && (options.state === 'all' || options.state === 'resolved')) {
    fail('invalid', { errors: [{ field: 'sort', message: 'by deadline is for open issues' }] })
  }
  return listIssueViews(db, page, options)
}

export function issueViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    path: '/views/issues',
    operationId: 'listIssueViews',
    summary: 'List issues with their devices and owners, newest first unless another order is asked for',
    tag,
    record: IssueView,
    options: IssueViewListing,
    list: listSorted,
    present: describeIssue,
    cursorOf: placeOf,
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/issues/:issueId',
    operationId: 'getIssueFacts',
    summary: 'Read what the page of an issue shows',
    tag,
    permission: 'read',
    answer: IssueFacts,
    run: async ({ db, organizationId, params: { issueId } }) => {
      const row = orNotFound(await findIssueFacts(db, organizationId, issueId))
      const [requests, earlier] = await Promise.all([
        listRequestsForIssue(db, organizationId, issueId),
        listSameIssues(db, organizationId, row),
      ])
      return describeIssueFacts(row, { requests, earlier })
    },
  })

  addExemptions(scope)
}

/** The API grants what owners ask for; administrators exempt without being asked. */
function addExemptions(scope: FastifyInstance): void {
  const shared = {
    path: '/views/devices/:deviceId/checks/:checkId/exemption',
    tag,
    permission: 'manage_user_requests',
  } as const

  endpoint(scope, {
    ...shared,
    method: 'POST',
    operationId: 'exemptCheckOnDevice',
    summary: 'Exempt a device from a check',
    body: CheckExemption,
    run: ({ db, organizationId, params: { deviceId, checkId }, body, actor, now }) =>
      transact(db, (tx) => {
        const expiresAt = body.expires_at === null ? null : new Date(body.expires_at).toISOString()
        const about = { organizationId, deviceId, checkId, reason: body.reason, expiresAt, actor }
        return exemptCheck(tx, about, { cause: ulid(), initiator: 'admin', now })
      }),
  })

  endpoint(scope, {
    ...shared,
    method: 'DELETE',
    operationId: 'endExemptionOfCheckOnDevice',
    summary: 'End the exemption of a device from a check',
    run: ({ db, organizationId, params: { deviceId, checkId }, actor, now }) =>
      transact(db, (tx) =>
        endExemption(tx, { organizationId, deviceId, checkId, actor }, { cause: ulid(), initiator: 'admin', now }),
      ),
  })
}
