import { Button, Menu } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { useState } from 'react'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { DeleteDeviceDialog } from './delete-device-dialog.tsx'
import { ownerIdOf } from './device-facts.ts'
import { EditDeviceDialog } from './edit-device-dialog.tsx'
import { RefreshButton } from './refresh-button.tsx'
import { SignInModeDialog } from './sign-in-mode-dialog.tsx'
import { UnregisterDialog } from './unregister-dialog.tsx'

type Parts = { readonly device: Device; readonly ownerName: string }
type Opened = 'edit' | 'mode' | 'unregister' | 'delete' | undefined

export function DeviceActions({ device, ownerName }: Parts) {
  const [opened, setOpened] = useState<Opened>()
  const mayUpdate = useMay('update_devices')
  const mayRemove = useMay('remove_devices')
  const ownerId = ownerIdOf(device)
  const close = () => setOpened(undefined)
  const hasMenu = mayRemove || (mayUpdate && ownerId !== undefined)
  return (
    <>
      <RefreshButton deviceId={device.id} />
      {mayUpdate && <Button onClick={() => setOpened('edit')}>Edit</Button>}
      {hasMenu && (
        <Menu position="bottom-end" width={220} withinPortal={false}>
          <Menu.Target>
            <Button aria-label="More actions">
              <Icon name="dots" size={14} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {mayUpdate && ownerId !== undefined && (
              <Menu.Item onClick={() => setOpened('mode')}>Who may sign in…</Menu.Item>
            )}
            {mayRemove && ownerId !== undefined && (
              <Menu.Item className="bad" onClick={() => setOpened('unregister')}>
                Unregister…
              </Menu.Item>
            )}
            {mayRemove && (
              <Menu.Item className="bad" onClick={() => setOpened('delete')}>
                Delete…
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {opened === 'edit' && <EditDeviceDialog device={device} onClose={close} />}
      {opened === 'mode' && <SignInModeDialog device={device} onClose={close} />}
      {opened === 'unregister' && ownerId !== undefined && (
        <UnregisterDialog device={device} ownerId={ownerId} ownerName={ownerName} onClose={close} />
      )}
      {opened === 'delete' && (
        <DeleteDeviceDialog device={device} ownerName={ownerId === undefined ? undefined : ownerName} onClose={close} />
      )}
    </>
  )
}
