import { groupOperations } from '@muster/contract/operations/groups.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import type { ChangeContext } from '../../inventory/devices/settle-auth-state.ts'
import { addDeviceGroupMembers } from './add-device-group-members.ts'
import { presentMembership } from './present.ts'
import { removeDeviceGroupMember } from './remove-device-group-member.ts'

export function membershipRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...groupOperations.addDeviceGroupMembers,
    run: async ({ db, organizationId, params: { deviceGroupId: groupId }, body, actor, now }) => {
      const deviceIds = body.device_ids.map(identifierOf)
      const addition = { organizationId, groupId, deviceIds, actor }
      await transact(db, (tx) => addDeviceGroupMembers(tx, addition, byAdmin(now)))
      return presentMembership(groupId, deviceIds)
    },
  })

  endpoint(app, {
    ...groupOperations.removeDeviceGroupMember,
    run: async ({ db, organizationId, params: { deviceGroupId: groupId, id: deviceId }, actor, now }) => {
      const removal = { organizationId, groupId, deviceId, actor }
      await transact(db, (tx) => removeDeviceGroupMember(tx, removal, byAdmin(now)))
      return presentMembership(groupId, [deviceId])
    },
  })
}

const byAdmin = (now: string): ChangeContext => ({ cause: ulid(), initiator: 'admin', now })
