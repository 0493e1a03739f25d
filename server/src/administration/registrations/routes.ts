import { deviceOperations } from '@muster/contract/operations/devices.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { deleteDevice } from './delete-device.ts'
import { unregisterDevice } from './unregister-device.ts'

export function registrationRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...deviceOperations.deleteDevice,
    run: ({ db, organizationId, params, links, context }) =>
      transact(db, async (tx) => {
        const device = orNotFound(await findDevice(tx, organizationId, params.id))
        await deleteDevice(tx, { deviceId: params.id }, context)
        return presentDevice(device, links)
      }),
  })

  endpoint(app, {
    ...deviceOperations.deleteDeviceRegistration,
    run: ({ db, params: { deviceId }, context, links }) =>
      transact(db, async (tx) => {
        const ended = await unregisterDevice(tx, { deviceId }, context)
        return {
          device_id: ended.device_id,
          registered_at: ended.registered_at,
          registered_owner_info: links.person(ended.registered_owner_id),
          device_info: links.device(ended.device_id),
        }
      }),
  })
}
