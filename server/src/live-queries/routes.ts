import { liveQueryOperations } from '@muster/contract/operations/live-queries.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../base/db/transact.ts'
import { orNotFound } from '../base/errors.ts'
import { endpoint } from '../http/endpoint.ts'
import { listEndpoint } from '../http/list-endpoint.ts'
import { identifierOf } from '../http/record-id.ts'
import { checkSql } from './check-sql.ts'
import { createCampaign } from './create-campaign.ts'
import { deleteCampaign } from './delete-campaign.ts'
import { presentCampaign, presentPart, presentResult } from './present.ts'
import { campaignExists, findCampaign, listCampaigns, listResultParts, listResults, resultExists } from './queries.ts'
import { noTargets, wantedTargets } from './targeting-rules.ts'
import { updateCampaign } from './update-campaign.ts'

export function liveQueryRoutes(app: FastifyInstance): void {
  addReads(app)
  addChanges(app)
}

function addReads(app: FastifyInstance): void {
  listEndpoint(app, {
    ...liveQueryOperations.listLiveQueryCampaigns,
    list: listCampaigns,
    present: presentCampaign,
  })

  endpoint(app, {
    ...liveQueryOperations.getLiveQueryCampaign,
    run: async ({ db, organizationId, params }) =>
      presentCampaign(orNotFound(await findCampaign(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    ...liveQueryOperations.listLiveQueryResults,
    list: listResults,
    present: presentResult,
    exists: (reader, organizationId, params) => campaignExists(reader, organizationId, params.liveQueryCampaignId),
  })

  listEndpoint(app, {
    ...liveQueryOperations.listLiveQueryRows,
    list: listResultParts,
    present: presentPart,
    exists: resultExists,
  })
}

function addChanges(app: FastifyInstance): void {
  const { liveQueryBlockedTables } = app.kit.config

  endpoint(app, {
    ...liveQueryOperations.createLiveQueryCampaign,
    run: async ({ db, organizationId, body, context }) => {
      const { name, sql, ...wanted } = body
      const tablesUsed = checkSql(sql, liveQueryBlockedTables)
      const targets = wantedTargets(wanted, noTargets, identifierOf)
      const namedDeviceIds = (wanted.targeted_device_ids ?? []).map(identifierOf)
      const campaign = { name, sql, tablesUsed, targets, namedDeviceIds }
      return transact(db, async (tx) => {
        const id = await createCampaign(tx, campaign, context)
        return presentCampaign(orNotFound(await findCampaign(tx, organizationId, id)))
      })
    },
  })

  endpoint(app, {
    ...liveQueryOperations.updateLiveQueryCampaign,
    run: async ({ db, organizationId, params: { id: campaignId }, body, context }) => {
      const { name, sql, ...wanted } = body
      const statement = sql === undefined ? undefined : { sql, tablesUsed: checkSql(sql, liveQueryBlockedTables) }
      const namedDeviceIds = (wanted.targeted_device_ids ?? []).map(identifierOf)
      const targetsFrom = (before: Parameters<typeof wantedTargets>[1]) => wantedTargets(wanted, before, identifierOf)
      const change = { campaignId, name, statement, namedDeviceIds, targetsFrom }
      return transact(db, async (tx) => {
        await updateCampaign(tx, change, context)
        return presentCampaign(orNotFound(await findCampaign(tx, organizationId, campaignId)))
      })
    },
  })

  endpoint(app, {
    ...liveQueryOperations.deleteLiveQueryCampaign,
    run: ({ db, organizationId, params: { id: campaignId }, context }) =>
      transact(db, async (tx) => {
        const deleted = presentCampaign(orNotFound(await findCampaign(tx, organizationId, campaignId)))
        await deleteCampaign(tx, { campaignId }, context)
        return deleted
      }),
  })
}
