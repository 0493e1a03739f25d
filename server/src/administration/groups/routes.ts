import { Device, deviceSearch } from '@muster/contract/devices.ts'
import { DeviceGroup, deviceGroupSearch, PersonGroup, personGroupSearch } from '@muster/contract/groups.ts'
import { Person, personSearch } from '@muster/contract/people.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { listDevicesOfGroup } from '../../inventory/devices/queries.ts'
import { presentPerson } from '../../inventory/people/present.ts'
import { listPeopleOfGroup, personExists } from '../../inventory/people/queries.ts'
import { presentDeviceGroup, presentPersonGroup } from './present.ts'
import {
  deviceGroupExists,
  findDeviceGroup,
  findPersonGroup,
  listDeviceGroups,
  listGroupsOfPerson,
  listPersonGroups,
  personGroupExists,
} from './queries.ts'

export function personGroupRoutes(app: FastifyInstance): void {
  const tag = 'Person groups'
  listEndpoint(app, {
    path: '/person_groups',
    operationId: 'listPersonGroups',
    summary: 'List person groups',
    tag,
    record: PersonGroup,
    isSmall: true,
    search: personGroupSearch,
    list: listPersonGroups,
    present: presentPersonGroup,
  })

  endpoint(app, {
    method: 'GET',
    path: '/person_groups/:id',
    operationId: 'getPersonGroup',
    summary: 'Read a person group',
    tag,
    permission: 'read',
    answer: PersonGroup,
    run: async ({ db, organizationId, params }) =>
      presentPersonGroup(orNotFound(await findPersonGroup(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    path: '/people/:personId/person_groups',
    operationId: 'listGroupsOfPerson',
    summary: 'List the groups of a person',
    tag: 'People',
    record: PersonGroup,
    isSmall: true,
    search: personGroupSearch,
    list: listGroupsOfPerson,
    exists: (reader, organizationId, { personId }) => personExists(reader, organizationId, personId),
    present: presentPersonGroup,
  })

  listEndpoint(app, {
    path: '/person_groups/:personGroupId/people',
    operationId: 'listPeopleOfGroup',
    summary: 'List the people of a group',
    tag,
    record: Person,
    isSmall: true,
    search: personSearch,
    list: listPeopleOfGroup,
    exists: (reader, organizationId, { personGroupId }) => personGroupExists(reader, organizationId, personGroupId),
    present: presentPerson,
  })
}

export function deviceGroupRoutes(app: FastifyInstance): void {
  const tag = 'Device groups'
  listEndpoint(app, {
    path: '/device_groups',
    operationId: 'listDeviceGroups',
    summary: 'List device groups',
    tag,
    record: DeviceGroup,
    isSmall: true,
    search: deviceGroupSearch,
    list: listDeviceGroups,
    present: presentDeviceGroup,
  })

  endpoint(app, {
    method: 'GET',
    path: '/device_groups/:id',
    operationId: 'getDeviceGroup',
    summary: 'Read a device group',
    tag,
    permission: 'read',
    answer: DeviceGroup,
    run: async ({ db, organizationId, params }) =>
      presentDeviceGroup(orNotFound(await findDeviceGroup(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    path: '/device_groups/:deviceGroupId/devices',
    operationId: 'listDevicesOfGroup',
    summary: 'List the devices of a device group',
    tag,
    record: Device,
    isSmall: true,
    search: deviceSearch,
    list: listDevicesOfGroup,
    present: presentDevice,
    exists: (reader, organizationId, params) => deviceGroupExists(reader, organizationId, params.deviceGroupId),
  })
}
