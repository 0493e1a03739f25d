import {
  LiveQueryCampaign,
  LiveQueryCampaignChange,
  LiveQueryCampaignRequest,
  LiveQueryResult,
  LiveQueryRows,
  liveQueryCampaignSearch,
  liveQueryResultSearch,
} from '@muster/contract/live-queries.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../base/db/transact.ts'
import { orNotFound } from '../base/errors.ts'
import { endpoint } from '../http/endpoint.ts'
import { listEndpoint } from '../http/list-endpoint.ts'
import { identifierOf } from '../http/record-id.ts'
import { checkSql } from './check-sql.ts'
import { createCampaign } from './create-campaign.ts'
import { deleteCampaign } from './delete-campaign.ts'
import { maxRowsInPart } from './keep-answer.ts'
import { presentCampaign, presentPart, presentResult } from './present.ts'
import { campaignExists, findCampaign, listCampaigns, listResultParts, listResults, resultExists } from './queries.ts'
import { noTargets, wantedTargets } from './targeting-rules.ts'
import { updateCampaign } from './update-campaign.ts'

const shared = { tag: 'Live queries', feature: 'live_query' } as const

export function liveQueryRoutes(app: FastifyInstance): void {
  addReads(app)
  addChanges(app)
}

function addReads(app: FastifyInstance): void {
  listEndpoint(app, {
    ...shared,
    path: '/live_query_campaigns',
    operationId: 'listLiveQueryCampaigns',
    summary: 'List live queries',
    record: LiveQueryCampaign,
    search: liveQueryCampaignSearch,
    list: listCampaigns,
    present: presentCampaign,
  })

  endpoint(app, {
    ...shared,
    method: 'GET',
    path: '/live_query_campaigns/:id',
    operationId: 'getLiveQueryCampaign',
    summary: 'Read a live query',
    permission: 'read',
    answer: LiveQueryCampaign,
    run: async ({ db, organizationId, params }) =>
      presentCampaign(orNotFound(await findCampaign(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    ...shared,
    path: '/live_query_campaigns/:liveQueryCampaignId/query_results',
    operationId: 'listLiveQueryResults',
    summary: 'List what devices answered to a live query',
    description: 'One result for each device that has answered the present revision, in the order of the answers.',
    record: LiveQueryResult,
    search: liveQueryResultSearch,
    list: listResults,
    present: presentResult,
    exists: (reader, organizationId, params) => campaignExists(reader, organizationId, params.liveQueryCampaignId),
  })

  listEndpoint(app, {
    ...shared,
    path: '/live_query_campaigns/:liveQueryCampaignId/query_results/:resultId/rows',
    operationId: 'listLiveQueryRows',
    summary: 'List all rows that a device answered to a live query',
    description: `Up to ${maxRowsInPart.toLocaleString('en')} rows at a time, in the order in which the device returned them.`,
    record: LiveQueryRows,
    list: listResultParts,
    present: presentPart,
    exists: resultExists,
  })
}

function addChanges(app: FastifyInstance): void {
  const changing = { ...shared, permission: 'create_live_query', answer: LiveQueryCampaign } as const
  const { liveQueryBlockedTables } = app.kit.config

  endpoint(app, {
    ...changing,
    method: 'POST',
    path: '/live_query_campaigns',
    operationId: 'createLiveQueryCampaign',
    summary: 'Run a live query',
    description: 'Devices that are online run it at once; the others are waited for, for seven days.',
    body: LiveQueryCampaignRequest,
    run: async ({ db, organizationId, body, actor, now }) => {
      const { name, sql, ...wanted } = body
      const tablesUsed = checkSql(sql, liveQueryBlockedTables)
      const targets = wantedTargets(wanted, noTargets, identifierOf)
      const namedDeviceIds = (wanted.targeted_device_ids ?? []).map(identifierOf)
      const campaign = { organizationId, name, sql, tablesUsed, targets, namedDeviceIds, actor, now }
      return transact(db, async (tx) => {
        const id = await createCampaign(tx, campaign)
        return presentCampaign(orNotFound(await findCampaign(tx, organizationId, id)))
      })
    },
  })

  endpoint(app, {
    ...changing,
    method: 'PATCH',
    path: '/live_query_campaigns/:id',
    operationId: 'updateLiveQueryCampaign',
    summary: 'Change a live query',
    description:
      'Other SQL or other targets raise `revision`: earlier results are dropped, and all devices that fit run it again. ' +
      'Another name alone does not. What is left out stays.',
    body: LiveQueryCampaignChange,
    run: async ({ db, organizationId, params: { id: campaignId }, body, actor, now }) => {
      const { name, sql, ...wanted } = body
      const statement = sql === undefined ? undefined : { sql, tablesUsed: checkSql(sql, liveQueryBlockedTables) }
      const namedDeviceIds = (wanted.targeted_device_ids ?? []).map(identifierOf)
      const change = { organizationId, campaignId, name, statement, namedDeviceIds, actor, now }
      return transact(db, async (tx) => {
        await updateCampaign(tx, { ...change, targetsFrom: (before) => wantedTargets(wanted, before, identifierOf) })
        return presentCampaign(orNotFound(await findCampaign(tx, organizationId, campaignId)))
      })
    },
  })

  endpoint(app, {
    ...changing,
    method: 'DELETE',
    path: '/live_query_campaigns/:id',
    operationId: 'deleteLiveQueryCampaign',
    summary: 'Delete a live query',
    description: 'Its results are gone, and devices that have not answered are not asked anymore.',
    run: ({ db, organizationId, params: { id: campaignId }, actor, now }) =>
      transact(db, async (tx) => {
        const deleted = presentCampaign(orNotFound(await findCampaign(tx, organizationId, campaignId)))
        await deleteCampaign(tx, { organizationId, campaignId, actor, now })
        return deleted
      }),
  })
}
