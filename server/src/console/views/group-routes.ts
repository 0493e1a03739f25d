import {
  DeviceGroupChange,
  DeviceGroupUses,
  NewDeviceGroup,
  PersonGroupMembers,
  PersonGroupView,
  PersonGroupViewFilter,
} from '@muster/contract/console-groups.ts'
import { DeviceGroup } from '@muster/contract/groups.ts'
import type { FastifyInstance } from 'fastify'
import { addPersonGroupMembers } from '../../administration/groups/add-person-group-members.ts'
import { changeDeviceGroup } from '../../administration/groups/change-device-group.ts'
import { createDeviceGroup } from '../../administration/groups/create-device-group.ts'
import { deleteDeviceGroup } from '../../administration/groups/delete-device-group.ts'
import { presentDeviceGroup } from '../../administration/groups/present.ts'
import { findDeviceGroup } from '../../administration/groups/queries.ts'
import { removePersonGroupMembers } from '../../administration/groups/remove-person-group-members.ts'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { listChecksOfGroup } from '../../compliance/targeting/checks-of-group.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { findPersonGroupView, listPersonGroupViews } from './person-groups.ts'

const tag = 'Console'

export function groupViewRoutes(scope: FastifyInstance): void {
  deviceGroupRoutes(scope)
  endpoint(scope, {
    method: 'POST',
    path: '/views/device_groups',
    operationId: 'createDeviceGroupView',
    summary: 'Make a device group',
    tag,
    permission: 'manage_device_groups',
    body: NewDeviceGroup,
    answer: DeviceGroup,
    run: ({ db, organizationId, body, actor, now }) =>
      transact(db, async (tx) => {
        const description = body.description?.trim() || null
        const group = { organizationId, name: body.name.trim(), description, actor, now }
        const id = await createDeviceGroup(tx, group)
        return presentDeviceGroup(orNotFound(await findDeviceGroup(tx, organizationId, id)))
      }),
  })

  listEndpoint(scope, {
    path: '/views/person_groups',
    operationId: 'listPersonGroupViews',
    summary: 'List person groups with how many people are in them',
    tag,
    record: PersonGroupView,
    options: PersonGroupViewFilter,
    list: listPersonGroupViews,
    present: (row) => row,
    isSmall: true,
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/person_groups/:id',
    operationId: 'getPersonGroupView',
    summary: 'Read a person group',
    tag,
    permission: 'read',
    answer: PersonGroupView,
    run: async ({ db, organizationId, params: { id } }) =>
      orNotFound(await findPersonGroupView(db, organizationId, id)),
  })

  personMemberRoutes(scope)
}

function deviceGroupRoutes(scope: FastifyInstance): void {
  const permission = 'manage_device_groups'
  endpoint(scope, {
    method: 'PATCH',
    path: '/views/device_groups/:groupId',
    operationId: 'changeDeviceGroupView',
    summary: 'Give a device group another name or description',
    tag,
    permission,
    body: DeviceGroupChange,
    answer: DeviceGroup,
    run: ({ db, organizationId, params: { groupId }, body, actor, now }) =>
      transact(db, async (tx) => {
        await changeDeviceGroup(tx, { organizationId, groupId, ...body, actor, now })
        return presentDeviceGroup(orNotFound(await findDeviceGroup(tx, organizationId, groupId)))
      }),
  })

  endpoint(scope, {
    method: 'DELETE',
    path: '/views/device_groups/:groupId',
    operationId: 'deleteDeviceGroupView',
    summary: 'Delete a device group that no check names',
    tag,
    permission,
    answer: DeviceGroup,
    run: ({ db, organizationId, params: { groupId }, actor, now }) =>
      transact(db, async (tx) =>
        presentDeviceGroup(await deleteDeviceGroup(tx, { organizationId, groupId, actor, now })),
      ),
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/device_groups/:groupId/uses',
    operationId: 'getDeviceGroupUses',
    summary: 'List the checks whose configuration names a device group',
    tag,
    permission: 'read',
    answer: DeviceGroupUses,
    run: async ({ db, organizationId, params: { groupId } }) => {
      orNotFound(await findDeviceGroup(db, organizationId, groupId))
      return { checks: await listChecksOfGroup(db, organizationId, groupId) }
    },
  })
}

/** Who is in a group decides who may sign in with devices, hence the permission. */
function personMemberRoutes(scope: FastifyInstance): void {
  const changing = {
    method: 'POST',
    tag,
    permission: 'update_devices',
    body: PersonGroupMembers,
    answer: PersonGroupView,
  } as const

  endpoint(scope, {
    ...changing,
    path: '/views/person_groups/:groupId/add',
    operationId: 'addPersonGroupMembersView',
    summary: 'Add people to a person group',
    run: ({ db, organizationId, params: { groupId }, body, actor, now }) =>
      transact(db, async (tx) => {
        refuseSynced(orNotFound(await findPersonGroupView(tx, organizationId, groupId)))
        const personIds = body.person_ids.map(identifierOf)
        await addPersonGroupMembers(tx, { organizationId, personGroupId: groupId, personIds, actor, now })
        return orNotFound(await findPersonGroupView(tx, organizationId, groupId))
      }),
  })

  endpoint(scope, {
    ...changing,
    path: '/views/person_groups/:groupId/remove',
    operationId: 'removePersonGroupMembersView',
    summary: 'Take people out of a person group',
    run: ({ db, organizationId, params: { groupId }, body, actor, now }) =>
      transact(db, async (tx) => {
        refuseSynced(orNotFound(await findPersonGroupView(tx, organizationId, groupId)))
        const gone = body.person_ids.map(identifierOf)
        await removePersonGroupMembers(tx, { organizationId, personGroupId: groupId, gone, actor, now })
        return orNotFound(await findPersonGroupView(tx, organizationId, groupId))
      }),
  })
}

/** The identity provider would put things back as it has them. */
function refuseSynced({ is_synced: isSynced }: PersonGroupView): void {
  if (!isSynced) return
  const message = 'is kept by the identity provider: change its members there'
  fail('invalid', { errors: [{ field: 'person_ids', message }] })
}
