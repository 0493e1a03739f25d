import { Button } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { useNavigate } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { MoreActions } from '../components/more-actions.tsx'
import { ownerIdOf } from './device-facts.ts'
import { useDeviceVerbs } from './device-verbs.tsx'

type Parts = { readonly device: Device; readonly ownerName: string }

export function DeviceActions({ device, ownerName }: Parts) {
  const navigate = useNavigate()
  const { verbs, dialogs } = useDeviceVerbs({
    deviceId: device.id,
    ownerId: ownerIdOf(device),
    ownerName,
    onDeleted: () => void navigate({ to: '/devices' }),
  })
  const { refresh, edit } = verbs
  return (
    <>
      {refresh && (
        <Button
          leftSection={<Icon name="refresh" size={14} />}
          loading={refresh.isBusy ?? false}
          data-press="r"
          onClick={refresh.run}
        >
          {refresh.text} <kbd>R</kbd>
        </Button>
      )}
      {edit && <Button onClick={edit.run}>Edit</Button>}
      <MoreActions verbs={[verbs.owner, verbs.mode, verbs.unregister, verbs.merge, verbs.delete]} />
      {dialogs}
    </>
  )
}
