import { Issue, issueSearch } from '@muster/contract/issues.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { deviceExists } from '../../inventory/devices/queries.ts'
import { personExists } from '../../inventory/people/queries.ts'
import { presentIssue } from './present.ts'
import { findIssue, listIssues, listOpenIssuesOfDevice, listOpenIssuesOfPerson } from './queries.ts'

const tag = 'Issues'

export function issueRoutes(app: FastifyInstance): void {
  const page = { tag, record: Issue, search: issueSearch, present: presentIssue }

  listEndpoint(app, {
    ...page,
    path: '/issues',
    operationId: 'listIssues',
    summary: 'List issues, open and resolved',
    list: listIssues,
  })

  endpoint(app, {
    method: 'GET',
    path: '/issues/:id',
    operationId: 'getIssue',
    summary: 'Read an issue',
    tag,
    permission: 'read',
    answer: Issue,
    run: async ({ db, organizationId, params, links }) =>
      presentIssue(orNotFound(await findIssue(db, organizationId, params.id)), links),
  })

  listEndpoint(app, {
    ...page,
    path: '/devices/:deviceId/open_issues',
    operationId: 'listOpenIssuesOfDevice',
    summary: 'List the open issues of a device',
    list: listOpenIssuesOfDevice,
    exists: (reader, organizationId, params) => deviceExists(reader, organizationId, params.deviceId),
  })

  listEndpoint(app, {
    ...page,
    path: '/people/:personId/open_issues',
    operationId: 'listOpenIssuesOfPerson',
    summary: 'List the open issues of the devices of a person',
    list: listOpenIssuesOfPerson,
    exists: (reader, organizationId, params) => personExists(reader, organizationId, params.personId),
  })
}
