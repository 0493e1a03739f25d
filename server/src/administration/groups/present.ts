import type { DeviceGroup, DeviceGroupMembership, PersonGroup } from '@muster/contract/groups.ts'
import type { DeviceGroupRow, PersonGroupRow } from './queries.ts'

export const presentPersonGroup = ({ id, name }: PersonGroupRow): PersonGroup => ({ id, name })

export const presentDeviceGroup = (row: DeviceGroupRow): DeviceGroup => ({
  id: row.id,
  created_at: row.created_at,
  name: row.name,
  description: row.description,
  members_count: row.members_count,
})

/** `deviceIds` are those of the request, at least one. */
export const presentMembership = (groupId: string, deviceIds: readonly string[]): DeviceGroupMembership => ({
  device_id: deviceIds[0] ?? '',
  group_id: groupId,
  data: [...new Set(deviceIds)].map((deviceId) => ({ device_id: deviceId, group_id: groupId })),
})
