import { deviceViewOperations } from '@muster/contract/operations/console-devices.ts'
import type { FastifyInstance } from 'fastify'
import { dayMs } from '../../base/time.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { failingOnDay, listComplianceDays } from '../../reporting/compliance-days/queries.ts'
import { chainRoutes } from './chain-routes.ts'
import { listCheckChanges } from './check-changes.ts'
import { checkViewRoutes } from './check-routes.ts'
import { placeOf } from './chosen-order.ts'
import { readConnecting } from './connecting.ts'
import { countDeviceViews, listDeviceViews } from './device-list.ts'
import { deviceViewRoutes } from './device-routes.ts'
import { describeDay, refuseNoDay } from './devices-of-day.ts'
import { deviceColumns } from './export-columns.ts'
import { find } from './find.ts'
import { readFirstSteps } from './first-steps.ts'
import { groupViewRoutes } from './group-routes.ts'
import { listManyRegistrations } from './many-registrations.ts'
import { listNextToBlock } from './next-to-block.ts'
import { noteExport } from './note-export.ts'
import { ownerRoutes } from './owner-routes.ts'
import { presentDeviceView, presentSummary } from './present.ts'
import { countStandings, countWaitingRequests, describeOnlyReporting, listFailingChecks } from './queries.ts'
import { queryViewRoutes } from './query-routes.ts'
import { countReceivers } from './receiver-counts.ts'
import { recordViewRoutes } from './record-routes.ts'
import { settingViewRoutes } from './setting-routes.ts'
import { streamViewRoutes } from './stream-routes.ts'
import { unregistrationRoutes } from './unregistration-routes.ts'
import { webhookViewRoutes } from './webhook-routes.ts'

/** What the console shows in one answer where the API takes several; for sessions only, so no part of the API. */
export function consoleViewRoutes(scope: FastifyInstance): void {
  settingViewRoutes(scope)
  streamViewRoutes(scope)
  webhookViewRoutes(scope)
  checkViewRoutes(scope)

  recordViewRoutes(scope)
  chainRoutes(scope)
  groupViewRoutes(scope)
  deviceViewRoutes(scope)
  unregistrationRoutes(scope)
  ownerRoutes(scope)
  queryViewRoutes(scope)
  listEndpoint(scope, {
    ...deviceViewOperations.listDeviceViews,
    list: listDeviceViews,
    present: presentDeviceView,
    cursorOf: placeOf,
    isSmall: true,
    count: countDeviceViews,
    csv: {
      fileName: ({ as_of }) => (as_of === undefined ? 'devices' : `devices-as-of-${as_of}`),
      begin: async (call, filter) => {
        refuseNoDay(filter, call.now)
        await noteExport(call, 'devices')
        return deviceColumns
      },
    },
  })

  endpoint(scope, {
    ...deviceViewOperations.describeDay,
    run: ({ db, organizationId, query, now }) => describeDay(db, organizationId, query.as_of, now),
  })

  endpoint(scope, {
    ...deviceViewOperations.findByName,
    run: async ({ db, organizationId, query }) => ({ data: await find(db, organizationId, query.q) }),
  })

  endpoint(scope, {
    ...deviceViewOperations.getFirstSteps,
    run: async ({ db, organizationId, context, now }) => {
      const [steps, connecting] = await Promise.all([
        readFirstSteps(db, { organizationId, adminUserId: context.actor.id }),
        readConnecting(db, organizationId, now),
      ])
      return { ...steps, connecting }
    },
  })

  endpoint(scope, {
    ...deviceViewOperations.getBlockReceivers,
    run: ({ db, organizationId, now }) => countReceivers(db, organizationId, now),
  })

  endpoint(scope, {
    ...deviceViewOperations.getConsoleSummary,
    run: async ({ db, organizationId, now }) => {
      const daysAgo = (days: number) => new Date(Date.parse(now) - days * dayMs).toISOString().slice(0, 10)
      const [standings, next, checks, waiting, days, changes, onlyReporting, manyRegistrations] = await Promise.all([
        countStandings(db, organizationId, now),
        listNextToBlock(db, organizationId, now, 6),
        listFailingChecks(db, organizationId, 7),
        countWaitingRequests(db, organizationId),
        listComplianceDays(db, organizationId, daysAgo(30), daysAgo(0)),
        listCheckChanges(db, organizationId, `${daysAgo(29)}T00:00:00.000Z`),
        describeOnlyReporting(db, organizationId),
        listManyRegistrations(db, organizationId, now),
      ])
      const checkIds = checks.map(({ id }) => id)
      const weekAgo = await failingOnDay(db, organizationId, checkIds, daysAgo(7))
      const found = { standings, next, checks, waiting, days, weekAgo, changes, onlyReporting, manyRegistrations }
      return presentSummary(found)
    },
  })
}
