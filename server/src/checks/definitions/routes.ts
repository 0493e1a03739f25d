import { checkOperations } from '@muster/contract/operations/checks.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { requestRefresh } from '../../compliance/results/request-refresh.ts'
import { listResultsOfCheck, listResultsOfDevice } from '../../compliance/results/result-queries.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { deviceExists } from '../../inventory/devices/queries.ts'
import { checkExists, findCheck, findConfiguration, listChecks } from '../configuration/queries.ts'
import { updateConfiguration } from '../configuration/update-configuration.ts'
import { presentCheck, presentCheckResult, presentConfiguration } from './present.ts'

export function checkRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...checkOperations.listChecks,
    list: listChecks,
    present: presentCheck,
  })

  endpoint(app, {
    ...checkOperations.getCheck,
    run: async ({ db, organizationId, params }) =>
      presentCheck(orNotFound(await findCheck(db, organizationId, params.id))),
  })

  endpoint(app, {
    ...checkOperations.getCheckConfiguration,
    run: async ({ db, organizationId, params }) =>
      presentConfiguration(orNotFound(await findConfiguration(db, organizationId, params.checkId))),
  })

  endpoint(app, {
    ...checkOperations.updateCheckConfiguration,
    run: ({ db, organizationId, params: { checkId }, body, context }) =>
      transact(db, async (tx) => {
        await updateConfiguration(tx, { checkId, request: body }, context)
        return presentConfiguration(orNotFound(await findConfiguration(tx, organizationId, checkId)))
      }),
  })
}

export function checkResultRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...checkOperations.listCheckResultsOfDevice,
    present: presentCheckResult,
    list: listResultsOfDevice,
    cursorOf: (row) => row.check_id,
    exists: (reader, organizationId, params) => deviceExists(reader, organizationId, params.deviceId),
  })

  listEndpoint(app, {
    ...checkOperations.listCheckResultsOfCheck,
    present: presentCheckResult,
    list: listResultsOfCheck,
    cursorOf: (row) => row.device_id,
    exists: (reader, organizationId, params) => checkExists(reader, organizationId, params.checkId),
  })

  endpoint(app, {
    ...checkOperations.createCheckRefresh,
    run: ({ db, organizationId, params: { deviceId }, body, now }) =>
      transact(db, async (tx) => {
        const checkId = identifierOf(body.check_id)
        await requestRefresh(tx, { organizationId, deviceId, checkId, now })
        return { device_id: deviceId, check_id: checkId, check_refresh_initiated_at: now }
      }),
  })
}
