import { deviceOperations } from '@muster/contract/operations/devices.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { personExists } from '../people/queries.ts'
import { presentAuthenticationMode, presentDevice } from './present.ts'
import { findDevice, listDevices, listDevicesOfPerson } from './queries.ts'
import { setAuthenticationMode } from './set-authentication-mode.ts'

export function deviceRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...deviceOperations.listDevices,
    present: presentDevice,
    isSmall: true,
    list: listDevices,
  })

  endpoint(app, {
    ...deviceOperations.getDevice,
    run: async ({ db, organizationId, params, links }) =>
      presentDevice(orNotFound(await findDevice(db, organizationId, params.id)), links),
  })

  listEndpoint(app, {
    ...deviceOperations.listDevicesOfPerson,
    present: presentDevice,
    isSmall: true,
    list: listDevicesOfPerson,
    exists: (reader, organizationId, params) => personExists(reader, organizationId, params.personId),
  })

  endpoint(app, {
    ...deviceOperations.updateDeviceAuthenticationMode,
    run: ({ db, organizationId, params: { deviceId }, body, context }) =>
      transact(db, async (tx) => {
        const personGroupIds = (body.person_group_ids ?? []).map(identifierOf)
        const mode = body.authentication_mode
        await setAuthenticationMode(tx, { deviceId, mode, personGroupIds }, context)
        return presentAuthenticationMode((await findDevice(tx, organizationId, deviceId)) ?? fail('not_found'))
      }),
  })
}
