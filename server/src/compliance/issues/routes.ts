import { issueOperations } from '@muster/contract/operations/issues.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { deviceExists } from '../../inventory/devices/queries.ts'
import { personExists } from '../../inventory/people/queries.ts'
import { presentIssue } from './present.ts'
import { findIssue, listIssues, listOpenIssuesOfDevice, listOpenIssuesOfPerson } from './queries.ts'

export function issueRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...issueOperations.listIssues,
    present: presentIssue,
    list: listIssues,
  })

  endpoint(app, {
    ...issueOperations.getIssue,
    run: async ({ db, organizationId, params, links }) =>
      presentIssue(orNotFound(await findIssue(db, organizationId, params.id)), links),
  })

  listEndpoint(app, {
    ...issueOperations.listOpenIssuesOfDevice,
    present: presentIssue,
    list: listOpenIssuesOfDevice,
    exists: (reader, organizationId, params) => deviceExists(reader, organizationId, params.deviceId),
  })

  listEndpoint(app, {
    ...issueOperations.listOpenIssuesOfPerson,
    present: presentIssue,
    list: listOpenIssuesOfPerson,
    exists: (reader, organizationId, params) => personExists(reader, organizationId, params.personId),
  })
}
