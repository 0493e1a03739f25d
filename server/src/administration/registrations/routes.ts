import type { DeviceRegistrationRequest } from '@muster/contract/devices.ts'
import { deviceOperations } from '@muster/contract/operations/devices.ts'
import type { FastifyInstance } from 'fastify'
import { type Reader, transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { findPersonByEmail } from '../../inventory/people/find-person-by-email.ts'
import { personExists } from '../../inventory/people/queries.ts'
import { assignOwner } from './assign-owner.ts'
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
    ...deviceOperations.assignDeviceOwner,
    run: ({ db, organizationId, params: { deviceId }, body, context, links, requirePower }) =>
      transact(db, async (tx) => {
        orNotFound(await findDevice(tx, organizationId, deviceId))
        const personId = await personOf(tx, organizationId, body)
        await assignOwner(tx, { deviceId, personId, requirePower }, context)
        const device = orNotFound(await findDevice(tx, organizationId, deviceId))
        return {
          device_id: deviceId,
          registered_at: device.registered_at ?? fail('device_not_registered'),
          registered_owner_info: links.person(personId),
          device_info: links.device(deviceId),
        }
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

async function personOf(
  reader: Reader,
  organizationId: string,
  { person_id: id, person_email: email }: DeviceRegistrationRequest,
): Promise<string> {
  if ((id === undefined) === (email === undefined)) {
    return refuse(id === undefined ? '' : 'person_email', 'give exactly one of person_id and person_email')
  }
  if (id === undefined) {
    const person = await findPersonByEmail(reader, organizationId, email ?? '')
    return person?.id ?? refuse('person_email', 'there is nobody with this address')
  }
  const personId = identifierOf(id)
  const isKnown = await personExists(reader, organizationId, personId)
  return isKnown ? personId : refuse('person_id', 'there is no such person')
}

function refuse(field: string, message: string): never {
  return fail('invalid', { errors: [{ field, message }] })
}
