import type { CheckRefreshRequest } from '@muster/contract/check-refreshes.ts'
import { checkOperations } from '@muster/contract/operations/checks.ts'
import type { FastifyInstance } from 'fastify'
import { type Tx, transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { requestAllRefreshes, requestRefresh, requestRefreshes } from '../../compliance/results/request-refresh.ts'
import { listResultsOfCheck, listResultsOfDevice } from '../../compliance/results/result-queries.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { deviceExists } from '../../inventory/devices/queries.ts'
import { checkExists, findCheck, findConfiguration, listChecks } from '../configuration/queries.ts'
import { updateConfiguration } from '../configuration/update-configuration.ts'
import { presentCheck, presentCheckResult, presentConfiguration, presentRefresh } from './present.ts'

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
    run: async ({ db, organizationId, params: { deviceId }, body, now }) => {
      const place = { organizationId, deviceId, now }
      const checkIds = await transact(db, (tx) => askForChecks(tx, place, body))
      return presentRefresh(deviceId, checkIds, now)
    },
  })
}

type Place = Parameters<typeof requestAllRefreshes>[1]

/** Which checks run again; neither member means all. */
async function askForChecks(tx: Tx, place: Place, body: CheckRefreshRequest): Promise<string[]> {
  const { check_id: one, check_ids: several } = body
  if (one !== undefined && several !== undefined) {
    return fail('invalid', { errors: [{ field: 'check_ids', message: 'give at most one of check_id and check_ids' }] })
  }
  if (one === undefined && several === undefined) return requestAllRefreshes(tx, place)
  const checkIds = (several ?? [one ?? '']).map(identifierOf)
  if (several) await requestRefreshes(tx, { ...place, checkIds })
  else await requestRefresh(tx, { ...place, checkId: checkIds[0] ?? '' })
  return checkIds
}
