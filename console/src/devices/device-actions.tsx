import { Button, Menu } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { useNavigate } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { VerbItems } from '../components/verbs.tsx'
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
  const further = [verbs.owner, verbs.mode, verbs.unregister, verbs.merge, verbs.delete]
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
      {further.some(Boolean) && (
        <Menu position="bottom-end" width={220} withinPortal={false}>
          <Menu.Target>
            <Button aria-label="More actions">
              <Icon name="dots" size={14} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <VerbItems verbs={further} />
          </Menu.Dropdown>
        </Menu>
      )}
      {dialogs}
    </>
  )
}
