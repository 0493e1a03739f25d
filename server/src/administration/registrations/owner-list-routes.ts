import { deviceOperations } from '@muster/contract/operations/devices.ts'
import type { FastifyInstance } from 'fastify'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { assignOwners } from './assign-owners.ts'
import { ownerListTurns } from './owner-list-turns.ts'
import { previewOwnerList } from './preview-owner-list.ts'

/** Owners by a list: previewed, then registered. Keys and the console take the same turns. */
export function ownerListRoutes(): (app: FastifyInstance) => void {
  const turns = ownerListTurns()
  return (app) => addRoutes(app, turns)
}

function addRoutes(app: FastifyInstance, turns: ReturnType<typeof ownerListTurns>): void {
  endpoint(app, {
    ...deviceOperations.registerDevices,
    run: ({ db, body, context, requirePower }) => {
      const registrations = body.registrations.map((one) => ({
        deviceId: identifierOf(one.device_id),
        personId: identifierOf(one.person_id),
      }))
      return assignOwners(db, { registrations, requirePower }, context)
    },
  })

  endpoint(app, {
    ...deviceOperations.previewOwnerList,
    run: async ({ db, organizationId, body, abandoned }) => {
      const signal = abandoned()
      const caller = { organizationId, isGone: () => signal.aborted }
      return await turns.take(caller, () => previewOwnerList(db, organizationId, body.csv))
    },
  })
}
