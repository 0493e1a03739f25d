import type { Device } from '@muster/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { ownDevicesQuery } from '../people/own-devices.tsx'

type Parts = {
  readonly device: Device
  readonly ownerId: string
  readonly ownerName: string
  readonly onClose: () => void
  readonly onUnregistered: (() => void) | undefined
}

export function UnregisterDialog({ device, ownerId, ownerName, onClose, onUnregistered }: Parts) {
  const devices = useQuery(ownDevicesQuery(ownerId))
  const others = devices.data?.data.filter(({ id }) => id !== device.id).length
  const name = visibleText(device.name)
  const isHeld = device.device_type === 'iOS' || device.device_type === 'Android'
  const unregister = useAction({
    act: () => api('deleteDeviceRegistration', { params: { deviceId: device.id } }),
    refresh: ['devices', 'people', 'audit'],
    said: () => `${name} is no longer registered`,
    onDone: () => {
      onClose()
      onUnregistered?.()
    },
    hasForm: true,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Unregister ${name}?`}
      consequences={[
        `${ownerName} can no longer sign in with it${isHeld ? '' : ', and has to ask for it'}.`,
        ...(others === 0
          ? [`It is the only device of ${ownerName}, who may register another one without approval.`]
          : others === undefined
            ? []
            : [`${ownerName} keeps ${others === 1 ? '1 other device' : `${others} other devices`}.`]),
        ...(isHeld ? ['It is deleted along with its registration.'] : []),
      ]}
      {...(!isHeld && { stays: 'Results and issues stay. You can assign another owner.' })}
      verb={`Unregister ${name.length > 30 ? 'the device' : name}`}
      onConfirm={() => unregister.mutate()}
      isBusy={unregister.isPending}
      fault={unregister.faultBeside}
    />
  )
}
