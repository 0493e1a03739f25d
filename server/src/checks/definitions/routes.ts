import { CheckConfiguration, CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { CheckRefresh, CheckRefreshRequest } from '@muster/contract/check-refreshes.ts'
import { CheckResult, checkResultSearch } from '@muster/contract/check-results.ts'
import { Check, checkSearch } from '@muster/contract/checks.ts'
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

const tag = 'Checks'

export function checkRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/checks',
    operationId: 'listChecks',
    summary: 'List checks',
    tag,
    record: Check,
    search: checkSearch,
    list: listChecks,
    present: presentCheck,
  })

  endpoint(app, {
    method: 'GET',
    path: '/checks/:id',
    operationId: 'getCheck',
    summary: 'Read a check',
    tag,
    permission: 'read',
    answer: Check,
    run: async ({ db, organizationId, params }) =>
      presentCheck(orNotFound(await findCheck(db, organizationId, params.id))),
  })

  endpoint(app, {
    method: 'GET',
    path: '/checks/:checkId/configurations',
    operationId: 'getCheckConfiguration',
    summary: 'Read the configuration of a check',
    tag,
    permission: 'read',
    answer: CheckConfiguration,
    run: async ({ db, organizationId, params }) =>
      presentConfiguration(orNotFound(await findConfiguration(db, organizationId, params.checkId))),
  })

  endpoint(app, {
    method: 'PATCH',
    path: '/checks/:checkId/configurations',
    operationId: 'updateCheckConfiguration',
    summary: 'Change the configuration of a check',
    description:
      'Only the members that are sent change; `options` is replaced whole. Devices are decided again in the background.',
    tag,
    permission: 'configure_checks',
    body: CheckConfigurationRequest,
    answer: CheckConfiguration,
    run: ({ db, organizationId, params: { checkId }, body, actor, now }) =>
      transact(db, async (tx) => {
        await updateConfiguration(tx, { organizationId, checkId, request: body, actor, now })
        return presentConfiguration(orNotFound(await findConfiguration(tx, organizationId, checkId)))
      }),
  })
}

export function checkResultRoutes(app: FastifyInstance): void {
  const page = { tag, record: CheckResult, search: checkResultSearch, present: presentCheckResult }

  listEndpoint(app, {
    ...page,
    path: '/devices/:deviceId/check_results',
    operationId: 'listCheckResultsOfDevice',
    summary: 'List what checks found on a device',
    list: listResultsOfDevice,
    cursorOf: (row) => row.check_id,
    exists: (reader, organizationId, params) => deviceExists(reader, organizationId, params.deviceId),
  })

  listEndpoint(app, {
    ...page,
    path: '/checks/:checkId/results',
    operationId: 'listCheckResultsOfCheck',
    summary: 'List what a check found on devices',
    list: listResultsOfCheck,
    cursorOf: (row) => row.device_id,
    exists: (reader, organizationId, params) => checkExists(reader, organizationId, params.checkId),
  })

  endpoint(app, {
    method: 'POST',
    path: '/devices/:deviceId/check_refreshes',
    operationId: 'createCheckRefresh',
    summary: 'Run a check on a device again',
    description: 'The check runs when the device next checks in, usually within a minute.',
    tag,
    permission: 'refresh_check',
    body: CheckRefreshRequest,
    answer: CheckRefresh,
    run: ({ db, organizationId, params: { deviceId }, body, now }) =>
      transact(db, async (tx) => {
        const checkId = identifierOf(body.check_id)
        await requestRefresh(tx, { organizationId, deviceId, checkId, now })
        return { device_id: deviceId, check_id: checkId, check_refresh_initiated_at: now }
      }),
  })
}
