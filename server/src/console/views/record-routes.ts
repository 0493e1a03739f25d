import {
  AuditView,
  AuditViewFilter,
  PersonView,
  PersonViewFilter,
  RowCount,
  SignInView,
  SignInViewFilter,
} from '@muster/contract/console-records.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { countAuditViews, findAuditView, listAuditViews, presentAuditView } from './audit-entries.ts'
import { countPersonViews, listPersonViews } from './people.ts'
import { countSignInViews, listSignInViews, presentSignInView } from './sign-ins.ts'

const tag = 'Console'
const counting = { method: 'GET', tag, permission: 'read', answer: RowCount } as const

/** People and the logs of what was done, each list with its count. */
export function recordViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    path: '/views/people',
    operationId: 'listPersonViews',
    summary: 'List people with their devices',
    tag,
    record: PersonView,
    options: PersonViewFilter,
    list: listPersonViews,
    present: (row) => row,
    isSmall: true,
  })

  endpoint(scope, {
    ...counting,
    path: '/views/people_count',
    operationId: 'countPersonViews',
    summary: 'Count the people that a filter finds',
    query: PersonViewFilter,
    run: ({ db, organizationId, query }) => countPersonViews(db, organizationId, query),
  })

  listEndpoint(scope, {
    path: '/views/sign_ins',
    operationId: 'listSignInViews',
    summary: 'List sign-ins, newest first',
    tag,
    record: SignInView,
    options: SignInViewFilter,
    order: 'descending',
    list: listSignInViews,
    present: presentSignInView,
    isSmall: true,
  })

  endpoint(scope, {
    ...counting,
    path: '/views/sign_in_count',
    operationId: 'countSignInViews',
    summary: 'Count the sign-ins that a filter finds',
    query: SignInViewFilter,
    run: ({ db, organizationId, query, now }) => countSignInViews(db, organizationId, query, now),
  })

  auditViewRoutes(scope)
}

function auditViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    path: '/views/audit_logs',
    operationId: 'listAuditViews',
    summary: 'List entries of the audit log, newest first',
    tag,
    record: AuditView,
    options: AuditViewFilter,
    order: 'descending',
    list: listAuditViews,
    present: presentAuditView,
  })

  endpoint(scope, {
    ...counting,
    path: '/views/audit_log_count',
    operationId: 'countAuditViews',
    summary: 'Count the entries that a filter finds',
    query: AuditViewFilter,
    run: ({ db, organizationId, query, now }) => countAuditViews(db, organizationId, query, now),
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/audit_logs/:id',
    operationId: 'getAuditView',
    summary: 'Read an entry of the audit log with its hashes',
    tag,
    permission: 'read',
    answer: AuditView,
    run: async ({ db, organizationId, params }) =>
      presentAuditView(orNotFound(await findAuditView(db, organizationId, params.id))),
  })
}
