import type { Device } from '@muster/contract/devices.ts'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { useRestore } from './missing-device.tsx'

type Parts = {
  readonly device: Device
  readonly ownerName: string | undefined
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Deleting is taken back from the toast, and from the page of the device, while it can be. */
export function DeleteDeviceDialog({ device, ownerName, onClose, onDeleted }: Parts) {
  const restore = useRestore()
  const name = visibleText(device.name)
  const remove = useAction({
    act: () => api('deleteDevice', { params: { id: device.id } }),
    refresh: ['listDeviceViews', 'getConsoleSummary', 'people', 'groups'],
    said: () => `${name} deleted`,
    undo: () => ({ label: 'Restore', run: () => restore.mutate(device.id) }),
    onDone: () => {
      onClose()
      onDeleted()
    },
    hasForm: true,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Delete ${name}?`}
      consequences={[
        ...(ownerName === undefined ? [] : [`${ownerName} can no longer sign in with it.`]),
        'Its agent is refused from now on.',
        'Its results, issues and inventory are removed for good once it can no longer be restored.',
      ]}
      stays="The audit log and the sign-in log stay. It can be restored for a while."
      verb={`Delete ${name.length > 30 ? 'the device' : name}`}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      fault={remove.faultBeside}
    />
  )
}
