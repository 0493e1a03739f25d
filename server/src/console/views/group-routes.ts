import type { PersonGroupView } from '@muster/contract/console-groups.ts'
import { groupViewOperations } from '@muster/contract/operations/console-groups.ts'
import type { FastifyInstance } from 'fastify'
import { addPersonGroupMembers } from '../../administration/groups/add-person-group-members.ts'
import { changeDeviceGroup } from '../../administration/groups/change-device-group.ts'
import { createDeviceGroup } from '../../administration/groups/create-device-group.ts'
import { deleteDeviceGroup } from '../../administration/groups/delete-device-group.ts'
import { presentDeviceGroup } from '../../administration/groups/present.ts'
import { findDeviceGroup, listDeviceGroups } from '../../administration/groups/queries.ts'
import { removePersonGroupMembers } from '../../administration/groups/remove-person-group-members.ts'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { listChecksOfGroup } from '../../compliance/targeting/checks-of-group.ts'
import { csvEndpoint } from '../../http/csv-endpoint.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { csvOf } from './note-export.ts'
import { findPersonGroupView, listPersonGroupViews } from './person-groups.ts'
import { deviceGroupColumns, personGroupColumns } from './record-export-columns.ts'

export function groupViewRoutes(scope: FastifyInstance): void {
  deviceGroupRoutes(scope)
  endpoint(scope, {
    ...groupViewOperations.createDeviceGroup,
    run: ({ db, organizationId, body, context }) =>
      transact(db, async (tx) => {
        const description = body.description?.trim() || null
        const group = { name: body.name.trim(), description }
        const id = await createDeviceGroup(tx, group, context)
        return presentDeviceGroup(orNotFound(await findDeviceGroup(tx, organizationId, id)))
      }),
  })

  listEndpoint(scope, {
    ...groupViewOperations.listPersonGroupViews,
    list: listPersonGroupViews,
    present: (row) => row,
    isSmall: true,
    csv: csvOf('person-groups', personGroupColumns),
  })

  csvEndpoint(scope, {
    ...groupViewOperations.exportDeviceGroups,
    ...csvOf('device-groups', deviceGroupColumns),
    list: listDeviceGroups,
    cursorOf: ({ id }) => id,
  })

  endpoint(scope, {
    ...groupViewOperations.getPersonGroupView,
    run: async ({ db, organizationId, params: { id } }) =>
      orNotFound(await findPersonGroupView(db, organizationId, id)),
  })

  personMemberRoutes(scope)
}

function deviceGroupRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...groupViewOperations.changeDeviceGroup,
    run: ({ db, organizationId, params: { groupId }, body, context }) =>
      transact(db, async (tx) => {
        await changeDeviceGroup(tx, { groupId, ...body }, context)
        return presentDeviceGroup(orNotFound(await findDeviceGroup(tx, organizationId, groupId)))
      }),
  })

  endpoint(scope, {
    ...groupViewOperations.deleteDeviceGroup,
    run: ({ db, params: { groupId }, context }) =>
      transact(db, async (tx) => presentDeviceGroup(await deleteDeviceGroup(tx, { groupId }, context))),
  })

  endpoint(scope, {
    ...groupViewOperations.getDeviceGroupUses,
    run: async ({ db, organizationId, params: { groupId } }) => {
      orNotFound(await findDeviceGroup(db, organizationId, groupId))
      return { checks: await listChecksOfGroup(db, organizationId, groupId) }
    },
  })
}

/** Who is in a group decides who may sign in with devices, hence the permission. */
function personMemberRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...groupViewOperations.addPersonGroupMembers,
    run: ({ db, organizationId, params: { groupId }, body, context }) =>
      transact(db, async (tx) => {
        refuseSynced(orNotFound(await findPersonGroupView(tx, organizationId, groupId)))
        const personIds = body.person_ids.map(identifierOf)
        await addPersonGroupMembers(tx, { personGroupId: groupId, personIds }, context)
        return orNotFound(await findPersonGroupView(tx, organizationId, groupId))
      }),
  })

  endpoint(scope, {
    ...groupViewOperations.removePersonGroupMembers,
    run: ({ db, organizationId, params: { groupId }, body, context }) =>
      transact(db, async (tx) => {
        refuseSynced(orNotFound(await findPersonGroupView(tx, organizationId, groupId)))
        const gone = body.person_ids.map(identifierOf)
        await removePersonGroupMembers(tx, { personGroupId: groupId, gone }, context)
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
