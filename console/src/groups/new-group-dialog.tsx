import type { DeviceGroup } from '@muster/contract/groups.ts'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { useAction } from '../components/use-action.ts'
import { GroupFields, type GroupInput } from './group-fields.tsx'

export function NewGroupDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const make = useAction<GroupInput, DeviceGroup>({
    act: ({ name, description }) =>
      api('createDeviceGroup', { body: { name, ...(description.trim() !== '' && { description }) } }),
    refresh: ['device_groups'],
    said: (group) => `${group.name} made`,
    onDone: (group) => void navigate({ to: '/groups/devices/$groupId', params: { groupId: group.id } }),
    hasForm: true,
  })
  return (
    <GroupFields
      title="New device group"
      verb="Create group"
      before={{ name: '', description: '' }}
      action={make}
      onClose={onClose}
    />
  )
}
