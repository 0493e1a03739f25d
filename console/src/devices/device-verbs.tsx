import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useMay } from '../api/session.ts'
import { useNeeded } from '../components/use-needed.ts'
import type { Verb } from '../components/verbs.tsx'
import { AssignOwnerDialog } from './assign-owner-dialog.tsx'
import { DeleteDeviceDialog } from './delete-device-dialog.tsx'
import { deviceQuery } from './device-queries.ts'
import { EditDeviceDialog } from './edit-device-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { SignInModeDialog } from './sign-in-mode-dialog.tsx'
import { UnregisterDialog } from './unregister-dialog.tsx'
import { useRefresh } from './use-refresh.ts'

type Parts = {
  readonly deviceId: string
  readonly ownerId: string | undefined
  readonly ownerName: string
  readonly onDeleted: () => void
  /** It belongs to nobody anymore. */
  readonly onUnregistered?: () => void
}

type DeviceVerbs = {
  readonly verbs: Readonly<
    Record<'refresh' | 'edit' | 'owner' | 'mode' | 'unregister' | 'merge' | 'delete', Verb | false>
  >
  readonly dialogs: ReactNode
}

/** What someone may do with a device, from its page and from its row; the dialogs read what they need of it. */
export function useDeviceVerbs(parts: Parts): DeviceVerbs {
  const { deviceId, ownerId } = parts
  const [opened, setOpened] = useState<Opened>()
  const mayUpdate = useMay('update_devices')
  const mayRemove = useMay('remove_devices')
  const mayRefresh = useMay('refresh_check')
  const refresh = useRefresh(deviceId)
  const isOwned = ownerId !== undefined
  const asked = (text: string, name: Opened): Verb => ({ text, run: () => setOpened(name) })
  return {
    verbs: {
      refresh: mayRefresh && {
        text: 'Refresh failing checks',
        run: () => refresh.mutate(),
        isBusy: refresh.isPending,
      },
      edit: mayUpdate && asked('Edit…', 'edit'),
      owner: mayUpdate && (mayRemove || !isOwned) && asked('Assign owner…', 'owner'),
      mode: mayUpdate && isOwned && asked('Who may sign in…', 'mode'),
      unregister: mayRemove && isOwned && { ...asked('Unregister…', 'unregister'), isDangerous: true },
      merge: mayRemove && { ...asked('Merge…', 'merge'), isDangerous: true },
      delete: mayRemove && { ...asked('Delete…', 'delete'), isDangerous: true },
    },
    dialogs: opened && <Dialog {...parts} opened={opened} onClose={() => setOpened(undefined)} />,
  }
}

type Opened = 'edit' | 'owner' | 'mode' | 'unregister' | 'merge' | 'delete'

function Dialog(parts: Parts & { readonly opened: Opened; readonly onClose: () => void }) {
  const { deviceId, ownerId, ownerName, opened, onClose } = parts
  const device = useNeeded(useQuery(deviceQuery(deviceId)), onClose)
  if (!device) return null
  if (opened === 'edit') return <EditDeviceDialog device={device} onClose={onClose} />
  if (opened === 'owner') {
    return <AssignOwnerDialog device={device} ownerId={ownerId} ownerName={ownerName} onClose={onClose} />
  }
  if (opened === 'mode') return <SignInModeDialog device={device} onClose={onClose} />
  if (opened === 'merge') return <MergeDialog device={device} onClose={onClose} />
  if (opened === 'delete') {
    return (
      <DeleteDeviceDialog
        device={device}
        ownerName={ownerId === undefined ? undefined : ownerName}
        onClose={onClose}
        onDeleted={parts.onDeleted}
      />
    )
  }
  return (
    ownerId !== undefined && (
      <UnregisterDialog
        device={device}
        ownerId={ownerId}
        ownerName={ownerName}
        onClose={onClose}
        onUnregistered={parts.onUnregistered}
      />
    )
  )
}

/** Whether there is any of them for any device. */
export function useMayChangeDevices(): boolean {
  const may = [useMay('refresh_check'), useMay('update_devices'), useMay('remove_devices')]
  return may.some(Boolean)
}
