import { deviceOperations } from '@muster/contract/operations/devices.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
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
    run: ({ db, organizationId, params, actor, now, links }) =>
      transact(db, async (tx) => {
        const device = orNotFound(await findDevice(tx, organizationId, params.id))
        const deletion = { organizationId, deviceId: params.id, actor }
        await deleteDevice(tx, deletion, { cause: ulid(), initiator: 'admin', now })
        return presentDevice(device, links)
      }),
  })

  endpoint(app, {
    ...deviceOperations.deleteDeviceRegistration,
    run: ({ db, organizationId, params: { deviceId }, actor, now, links }) =>
      transact(db, async (tx) => {
        const context = { cause: ulid(), initiator: 'admin', now } as const
        const ended = await unregisterDevice(tx, { organizationId, deviceId, actor }, context)
        return {
          device_id: ended.device_id,
          registered_at: ended.registered_at,
          registered_owner_info: links.person(ended.registered_owner_id),
          device_info: links.device(ended.device_id),
        }
      }),
  })
}
