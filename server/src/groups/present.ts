import type { DeviceGroup, PersonGroup } from '@muster/contract/groups.ts'
import type { DeviceGroupRow, PersonGroupRow } from './queries.ts'

export const presentPersonGroup = ({ id, name }: PersonGroupRow): PersonGroup => ({ id, name })

export const presentDeviceGroup = (row: DeviceGroupRow): DeviceGroup => ({
  id: row.id,
  created_at: row.created_at,
  name: row.name,
  description: row.description,
  members_count: row.members_count,
})
