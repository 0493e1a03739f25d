import { Device, DeviceRegistration } from '@muster/contract/devices.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { deleteDevice } from './delete-device.ts'
import { unregisterDevice } from './unregister-device.ts'

const tag = 'Devices'

export function registrationRoutes(app: FastifyInstance): void {
  endpoint(app, {
    method: 'DELETE',
    path: '/devices/:id',
    operationId: 'deleteDevice',
    summary: 'Delete a device',
    description:
      'The device is gone from the API and its agent is refused at once. Administrators can restore it for a while; then it is removed for good.',
    tag,
    permission: 'remove_devices',
    answer: Device,
    run: ({ db, organizationId, params, actor, now, links }) =>
      transact(db, async (tx) => {
        const device = orNotFound(await findDevice(tx, organizationId, params.id))
        const deletion = { organizationId, deviceId: params.id, actor }
        await deleteDevice(tx, deletion, { cause: ulid(), initiator: 'admin', now })
        return presentDevice(device, links)
      }),
  })

  endpoint(app, {
    method: 'DELETE',
    path: '/devices/:deviceId/registration',
    operationId: 'deleteDeviceRegistration',
    summary: 'End the registration of a device',
    description:
      "The owner can no longer sign in with the device. If it was the person's only one, they may register another without approval. A phone or tablet is deleted with its registration.",
    tag,
    permission: 'remove_devices',
    answer: DeviceRegistration,
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
