import { checkResultSearch } from '@muster/contract/check-results.ts'
import { CheckViewFilter } from '@muster/contract/console-checks.ts'
import { PersonGroupViewFilter } from '@muster/contract/console-groups.ts'
import { RequestViewFilter } from '@muster/contract/console-issues.ts'
import { LiveQueryViewFilter } from '@muster/contract/console-queries.ts'
import { deviceGroupSearch } from '@muster/contract/groups.ts'
import type { FastifyInstance } from 'fastify'
import { listDeviceGroups } from '../../administration/groups/queries.ts'
import { orNotFound } from '../../base/errors.ts'
import { listResultsOfCheck } from '../../compliance/results/result-queries.ts'
import { csvEndpoint } from '../../http/csv-endpoint.ts'
import { findCheckFacts, listCheckViews } from './check-queries.ts'
import { placeOf } from './chosen-order.ts'
import { listLiveQueryViews } from './live-queries.ts'
import { noteExport, noting } from './note-export.ts'
import { listPersonGroupViews } from './person-groups.ts'
import {
  checkColumns,
  deviceGroupColumns,
  exemptionColumns,
  liveQueryColumns,
  personGroupColumns,
  registrationColumns,
  resultColumns,
} from './record-export-columns.ts'
import { listExemptionRequestViews, listRegistrationRequestViews } from './request-queries.ts'

const tag = 'Console'

const idOf = ({ id }: { id: string }): string => id

/** Checks, requests, groups and live queries as files. */
export function recordExportRoutes(scope: FastifyInstance): void {
  checkExportRoutes(scope)
  requestExportRoutes(scope)
  groupExportRoutes(scope)

  csvEndpoint(scope, {
    path: '/views/exports/live_queries',
    operationId: 'exportLiveQueries',
    summary: 'Export the live queries that a filter finds',
    tag,
    feature: 'live_query',
    fileName: 'live-queries',
    options: LiveQueryViewFilter,
    order: 'descending',
    list: listLiveQueryViews,
    cursorOf: idOf,
    begin: noting('live queries', liveQueryColumns),
  })
}

function checkExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    path: '/views/exports/checks',
    operationId: 'exportChecks',
    summary: 'Export the checks that a filter finds',
    tag,
    fileName: 'checks',
    options: CheckViewFilter,
    list: listCheckViews,
    cursorOf: placeOf,
    begin: noting('checks', checkColumns),
  })

  csvEndpoint(scope, {
    path: '/views/exports/checks/:checkId/results',
    operationId: 'exportCheckResults',
    summary: 'Export what a check found on devices',
    tag,
    fileName: 'check-results',
    search: checkResultSearch,
    list: listResultsOfCheck,
    cursorOf: ({ device_id: id }) => id,
    begin: async (call) => {
      const { checkId } = call.params
      const { name } = orNotFound(await findCheckFacts(call.db, call.organizationId, checkId))
      await noteExport(call, `the results of the check "${name}"`, { check: checkId })
      return resultColumns
    },
  })
}

function requestExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    path: '/views/exports/exemption_requests',
    operationId: 'exportExemptionRequests',
    summary: 'Export the requests for exemption that a filter finds',
    tag,
    fileName: 'exemption-requests',
    options: RequestViewFilter,
    order: 'descending',
    list: listExemptionRequestViews,
    cursorOf: idOf,
    begin: noting('exemption requests', exemptionColumns),
  })

  csvEndpoint(scope, {
    path: '/views/exports/registration_requests',
    operationId: 'exportRegistrationRequests',
    summary: 'Export the requests for registration that a filter finds',
    tag,
    fileName: 'registration-requests',
    options: RequestViewFilter,
    order: 'descending',
    list: listRegistrationRequestViews,
    cursorOf: idOf,
    begin: noting('registration requests', registrationColumns),
  })
}

function groupExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    path: '/views/exports/device_groups',
    operationId: 'exportDeviceGroups',
    summary: 'Export the device groups that a search finds',
    tag,
    fileName: 'device-groups',
    search: deviceGroupSearch,
    list: listDeviceGroups,
    cursorOf: idOf,
    begin: noting('device groups', deviceGroupColumns),
  })

  csvEndpoint(scope, {
    path: '/views/exports/person_groups',
    operationId: 'exportPersonGroups',
    summary: 'Export the person groups that a filter finds',
    tag,
    fileName: 'person-groups',
    options: PersonGroupViewFilter,
    list: listPersonGroupViews,
    cursorOf: idOf,
    begin: noting('person groups', personGroupColumns),
  })
}
