import { groupOperations } from '@muster/contract/operations/groups.ts'
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
  listEndpoint(app, {
    ...groupOperations.listPersonGroups,
    isSmall: true,
    list: listPersonGroups,
    present: presentPersonGroup,
  })

  endpoint(app, {
    ...groupOperations.getPersonGroup,
    run: async ({ db, organizationId, params }) =>
      presentPersonGroup(orNotFound(await findPersonGroup(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    ...groupOperations.listGroupsOfPerson,
    isSmall: true,
    list: listGroupsOfPerson,
    exists: (reader, organizationId, { personId }) => personExists(reader, organizationId, personId),
    present: presentPersonGroup,
  })

  listEndpoint(app, {
    ...groupOperations.listPeopleOfGroup,
    isSmall: true,
    list: listPeopleOfGroup,
    exists: (reader, organizationId, { personGroupId }) => personGroupExists(reader, organizationId, personGroupId),
    present: presentPerson,
  })
}

export function deviceGroupRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...groupOperations.listDeviceGroups,
    isSmall: true,
    list: listDeviceGroups,
    present: presentDeviceGroup,
  })

  endpoint(app, {
    ...groupOperations.getDeviceGroup,
    run: async ({ db, organizationId, params }) =>
      presentDeviceGroup(orNotFound(await findDeviceGroup(db, organizationId, params.id))),
  })

  listEndpoint(app, {
    ...groupOperations.listDevicesOfGroup,
    isSmall: true,
    list: listDevicesOfGroup,
    present: presentDevice,
    exists: (reader, organizationId, params) => deviceGroupExists(reader, organizationId, params.deviceGroupId),
  })
}
