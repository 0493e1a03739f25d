import type { DeviceGroupMembershipRequest } from '@muster/contract/groups.ts'
import { groupOperations } from '@muster/contract/operations/groups.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { addDeviceGroupMembers } from './add-device-group-members.ts'
import { presentMembership } from './present.ts'
import { removeDeviceGroupMember } from './remove-device-group-member.ts'

export function membershipRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...groupOperations.addDeviceGroupMembers,
    run: async ({ db, params: { deviceGroupId: groupId }, body, context }) => {
      const deviceIds = readDeviceIds(body)
      const addition = { groupId, deviceIds }
      await transact(db, (tx) => addDeviceGroupMembers(tx, addition, context))
      return presentMembership(groupId, deviceIds)
    },
  })

  endpoint(app, {
    ...groupOperations.removeDeviceGroupMember,
    run: async ({ db, params: { deviceGroupId: groupId, id: deviceId }, context }) => {
      const removal = { groupId, deviceId }
      await transact(db, (tx) => removeDeviceGroupMember(tx, removal, context))
      return presentMembership(groupId, [deviceId])
    },
  })
}

/** A single device is named by clients that add one at a time. */
function readDeviceIds({ device_ids: several, device_id: one }: DeviceGroupMembershipRequest): string[] {
  const refuse = (message: string) => fail('invalid', { errors: [{ field: 'device_ids', message }] })
  if (several !== undefined && one !== undefined) return refuse('give exactly one of device_ids and device_id')
  const given = one === undefined ? several : [one]
  return given === undefined ? refuse('is required') : given.map(identifierOf)
}
