import { FindAnswer, FindQuery } from '@muster/contract/console-find.ts'
import {
  ConsoleSummary,
  DayQuery,
  DayStandings,
  DeviceView,
  DeviceViewCount,
  DeviceViewFilter,
  DeviceViewListing,
} from '@muster/contract/console-views.ts'
import type { FastifyInstance } from 'fastify'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { failingOnDay, listComplianceDays } from '../../reporting/compliance-days/queries.ts'
import { chainRoutes } from './chain-routes.ts'
import { listCheckChanges } from './check-changes.ts'
import { checkViewRoutes } from './check-routes.ts'
import { placeOf } from './chosen-order.ts'
import { countDeviceViews, listDeviceViews } from './device-list.ts'
import { deviceViewRoutes } from './device-routes.ts'
import { describeDay } from './devices-of-day.ts'
import { exportRoutes } from './export-routes.ts'
import { find } from './find.ts'
import { groupViewRoutes } from './group-routes.ts'
import { listNextToBlock } from './next-to-block.ts'
import { presentDeviceView, presentSummary } from './present.ts'
import { countStandings, countWaitingRequests, listFailingChecks } from './queries.ts'
import { queryViewRoutes } from './query-routes.ts'
import { recordViewRoutes } from './record-routes.ts'
import { settingViewRoutes } from './setting-routes.ts'
import { streamViewRoutes } from './stream-routes.ts'
import { unregistrationRoutes } from './unregistration-routes.ts'
import { webhookViewRoutes } from './webhook-routes.ts'

const tag = 'Console'

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
  exportRoutes(scope)
  queryViewRoutes(scope)
  listEndpoint(scope, {
    path: '/views/devices',
    operationId: 'listDeviceViews',
    summary: 'List devices with their owners, what is to be done first at the top unless another order is asked for',
    tag,
    record: DeviceView,
    options: DeviceViewListing,
    list: listDeviceViews,
    present: presentDeviceView,
    cursorOf: placeOf,
    isSmall: true,
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/device_count',
    operationId: 'countDeviceViews',
    summary: 'Count the devices that a filter finds',
    tag,
    permission: 'read',
    query: DeviceViewFilter,
    answer: DeviceViewCount,
    run: async ({ db, organizationId, query, now }) => ({
      count: await countDeviceViews(db, organizationId, query, now),
    }),
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/day',
    operationId: 'describeDay',
    summary: 'Read how devices stood on a day that is over',
    tag,
    permission: 'read',
    query: DayQuery,
    answer: DayStandings,
    run: ({ db, organizationId, query, now }) => describeDay(db, organizationId, query.as_of, now),
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/find',
    operationId: 'findByName',
    summary: 'Find devices, people and checks by a part of their names',
    tag,
    permission: 'read',
    query: FindQuery,
    answer: FindAnswer,
    run: async ({ db, organizationId, query }) => ({ data: await find(db, organizationId, query.q) }),
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/summary',
    operationId: 'getConsoleSummary',
    summary: 'Read what the dashboard shows',
    tag,
    permission: 'read',
    answer: ConsoleSummary,
    run: async ({ db, organizationId, now }) => {
      const daysAgo = (days: number) => new Date(Date.parse(now) - days * 86_400_000).toISOString().slice(0, 10)
      const [standings, next, checks, waiting, days, changes] = await Promise.all([
        countStandings(db, organizationId, now),
        listNextToBlock(db, organizationId, now, 6),
        listFailingChecks(db, organizationId, 7),
        countWaitingRequests(db, organizationId),
        listComplianceDays(db, organizationId, daysAgo(30), daysAgo(0)),
        listCheckChanges(db, organizationId, `${daysAgo(29)}T00:00:00.000Z`),
      ])
      const checkIds = checks.map(({ id }) => id)
      const weekAgo = await failingOnDay(db, organizationId, checkIds, daysAgo(7))
      return presentSummary({ standings, next, checks, waiting, days, weekAgo, changes })
    },
  })
}
