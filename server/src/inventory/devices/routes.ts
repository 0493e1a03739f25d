import {
  DeviceAuthenticationMode,
  DeviceAuthenticationModeRequest,
} from '@muster/contract/device-authentication-modes.ts'
import { Device, deviceSearch } from '@muster/contract/devices.ts'
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

const tag = 'Devices'

export function deviceRoutes(app: FastifyInstance): void {
  const page = { tag, record: Device, search: deviceSearch, present: presentDevice, isSmall: true }

  listEndpoint(app, {
    ...page,
    path: '/devices',
    operationId: 'listDevices',
    summary: 'List devices',
    list: listDevices,
  })

  endpoint(app, {
    method: 'GET',
    path: '/devices/:id',
    operationId: 'getDevice',
    summary: 'Read a device',
    tag,
    permission: 'read',
    answer: Device,
    run: async ({ db, organizationId, params, links }) =>
      presentDevice(orNotFound(await findDevice(db, organizationId, params.id)), links),
  })

  listEndpoint(app, {
    ...page,
    path: '/people/:personId/registered_devices',
    operationId: 'listDevicesOfPerson',
    summary: 'List the devices registered to a person',
    list: listDevicesOfPerson,
    exists: (reader, organizationId, params) => personExists(reader, organizationId, params.personId),
  })

  endpoint(app, {
    method: 'PATCH',
    path: '/devices/:deviceId/authentication_mode',
    operationId: 'updateDeviceAuthenticationMode',
    summary: 'Change who may sign in with a device',
    tag,
    permission: 'update_devices',
    body: DeviceAuthenticationModeRequest,
    answer: DeviceAuthenticationMode,
    run: ({ db, organizationId, params: { deviceId }, body, actor, now }) =>
      transact(db, async (tx) => {
        const personGroupIds = (body.person_group_ids ?? []).map(identifierOf)
        const mode = body.authentication_mode
        await setAuthenticationMode(tx, { organizationId, deviceId, mode, personGroupIds, actor, now })
        return presentAuthenticationMode((await findDevice(tx, organizationId, deviceId)) ?? fail('not_found'))
      }),
  })
}
