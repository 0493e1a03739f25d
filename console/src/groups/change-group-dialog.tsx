import type { DeviceGroup } from '@muster/contract/groups.ts'
import { api } from '../api/api.ts'
import { useAction } from '../components/use-action.ts'
import { GroupFields, type GroupInput } from './group-fields.tsx'

type Parts = { readonly group: DeviceGroup; readonly onClose: () => void }

export function ChangeGroupDialog({ group, onClose }: Parts) {
  const before = { name: group.name, description: group.description ?? '' }
  const change = useAction<GroupInput, DeviceGroup>({
    act: ({ name, description }) =>
      api('changeDeviceGroup', {
        params: { groupId: group.id },
        body: { name, description: description.trim() === '' ? null : description },
      }),
    refresh: ['device_groups'],
    said: ({ name }) => `${name} saved`,
    undo: () => ({ label: 'Undo', run: () => change.mutate(before) }),
    onDone: onClose,
    hasForm: true,
  })
  return (
    <GroupFields
      title="Edit the device group"
      verb="Save the group"
      before={before}
      action={change}
      onClose={onClose}
    />
  )
}
