import { exportOperations } from '@muster/contract/operations/console-exports.ts'
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

const idOf = ({ id }: { id: string }): string => id

/** Checks, requests, groups and live queries as files. */
export function recordExportRoutes(scope: FastifyInstance): void {
  checkExportRoutes(scope)
  requestExportRoutes(scope)
  groupExportRoutes(scope)

  csvEndpoint(scope, {
    ...exportOperations.exportLiveQueries,
    fileName: 'live-queries',
    order: 'descending',
    list: listLiveQueryViews,
    cursorOf: idOf,
    begin: noting('live queries', liveQueryColumns),
  })
}

function checkExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    ...exportOperations.exportChecks,
    fileName: 'checks',
    list: listCheckViews,
    cursorOf: placeOf,
    begin: noting('checks', checkColumns),
  })

  csvEndpoint(scope, {
    ...exportOperations.exportCheckResults,
    fileName: 'check-results',
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
    ...exportOperations.exportExemptionRequests,
    fileName: 'exemption-requests',
    order: 'descending',
    list: listExemptionRequestViews,
    cursorOf: idOf,
    begin: noting('exemption requests', exemptionColumns),
  })

  csvEndpoint(scope, {
    ...exportOperations.exportRegistrationRequests,
    fileName: 'registration-requests',
    order: 'descending',
    list: listRegistrationRequestViews,
    cursorOf: idOf,
    begin: noting('registration requests', registrationColumns),
  })
}

function groupExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    ...exportOperations.exportDeviceGroups,
    fileName: 'device-groups',
    list: listDeviceGroups,
    cursorOf: idOf,
    begin: noting('device groups', deviceGroupColumns),
  })

  csvEndpoint(scope, {
    ...exportOperations.exportPersonGroups,
    fileName: 'person-groups',
    list: listPersonGroupViews,
    cursorOf: idOf,
    begin: noting('person groups', personGroupColumns),
  })
}
