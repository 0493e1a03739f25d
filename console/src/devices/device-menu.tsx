import type { DeviceView } from '@muster/contract/console-views.ts'
import type { ReactNode } from 'react'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { useDeviceVerbs } from './device-verbs.tsx'

type MenuParts = {
  readonly row: DeviceView
  readonly menu: (items: ReactNode) => ReactNode
  /** The device has left the list. */
  readonly onGone: () => void
}

/** What can be done with a device, from its row. */
export function DeviceMenu({ row: { id, owner }, menu, onGone }: MenuParts) {
  const { verbs, dialogs } = useDeviceVerbs({
    deviceId: id,
    ownerId: owner?.id,
    ownerName: visibleText(owner?.name ?? ''),
    onDeleted: onGone,
    onUnregistered: onGone,
  })
  return (
    <>
      {menu(
        <VerbItems
          verbs={[verbs.refresh, verbs.edit, verbs.owner, verbs.mode, verbs.unregister, verbs.merge, verbs.delete]}
        />,
      )}
      {dialogs}
    </>
  )
}
