import { deviceViewOperations } from '@muster/contract/operations/console-devices.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { mergeDevices } from './merge-devices.ts'
import { previewMerge } from './preview-merge.ts'
import { listTwins } from './queries.ts'

/** Two records of one machine become one. For the console only, so no part of the API. */
export function mergeRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...deviceViewOperations.listTwinsOfDevice,
    run: async ({ db, organizationId, params: { deviceId } }) => {
      orNotFound(await findDevice(db, organizationId, deviceId))
      const twins = await listTwins(db, organizationId, deviceId)
      return {
        data: twins.map(({ serial, uuid, ...twin }) => ({ ...twin, same: { serial, hardware_uuid: uuid } })),
      }
    },
  })

  endpoint(scope, {
    ...deviceViewOperations.previewDeviceMerge,
    run: ({ db, organizationId, params: { deviceId: keptId }, query, now }) =>
      previewMerge(db, { organizationId, keptId, otherId: identifierOf(query.other_id) }, now),
  })

  endpoint(scope, {
    ...deviceViewOperations.mergeDevices,
    run: ({ db, organizationId, params: { deviceId: keptId }, body, links, context, requirePower }) =>
      transact(db, async (tx) => {
        const isOneMachine = body.is_one_machine === true
        const merge = { keptId, otherId: identifierOf(body.other_id), isOneMachine, requirePower }
        await mergeDevices(tx, merge, context)
        return presentDevice(orNotFound(await findDevice(tx, organizationId, keptId)), links)
      }),
  })
}
