import { DeviceGroupMembership, DeviceGroupMembershipRequest } from '@muster/contract/groups.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import type { ChangeContext } from '../../inventory/devices/settle-auth-state.ts'
import { addDeviceGroupMembers } from './add-device-group-members.ts'
import { presentMembership } from './present.ts'
import { removeDeviceGroupMember } from './remove-device-group-member.ts'

const tag = 'Device groups'

export function membershipRoutes(app: FastifyInstance): void {
  endpoint(app, {
    method: 'POST',
    path: '/device_groups/:deviceGroupId/memberships',
    operationId: 'addDeviceGroupMembers',
    summary: 'Add devices to a device group',
    description: 'Adds all of the devices or none, at most 1,000 at once. Devices that are in the group already stay.',
    tag,
    permission: 'manage_device_groups',
    body: DeviceGroupMembershipRequest,
    answer: DeviceGroupMembership,
    run: async ({ db, organizationId, params: { deviceGroupId: groupId }, body, actor, now }) => {
      const deviceIds = body.device_ids.map(identifierOf)
      const addition = { organizationId, groupId, deviceIds, actor }
      await transact(db, (tx) => addDeviceGroupMembers(tx, addition, byAdmin(now)))
      return presentMembership(groupId, deviceIds)
    },
  })

  endpoint(app, {
    method: 'DELETE',
    path: '/device_groups/:deviceGroupId/memberships/:id',
    operationId: 'removeDeviceGroupMember',
    summary: 'Take a device out of a device group',
    description: 'The last part of the address is the identifier of the device.',
    tag,
    permission: 'manage_device_groups',
    answer: DeviceGroupMembership,
    run: async ({ db, organizationId, params: { deviceGroupId: groupId, id: deviceId }, actor, now }) => {
      const removal = { organizationId, groupId, deviceId, actor }
      await transact(db, (tx) => removeDeviceGroupMember(tx, removal, byAdmin(now)))
      return presentMembership(groupId, [deviceId])
    },
  })
}

const byAdmin = (now: string): ChangeContext => ({ cause: ulid(), initiator: 'admin', now })
