import type { Device } from '@muster/contract/devices.ts'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { ChoosePerson, type ChosenPerson } from '../people/choose-person.tsx'

type Parts = {
  readonly device: Device
  readonly ownerId: string | undefined
  readonly ownerName: string
  readonly onClose: () => void
}

/** First who becomes the owner, then what that changes. */
export function AssignOwnerDialog({ device, ownerId, ownerName, onClose }: Parts) {
  const [person, setPerson] = useState<ChosenPerson>()
  const name = visibleText(device.name)
  const assign = useAction({
    act: (personId: string) =>
      api('assignDeviceOwner', { params: { deviceId: device.id }, body: { person_id: personId } }),
    refresh: ['devices', 'people', 'audit'],
    said: () => `${name} is registered to ${visibleText(person?.name ?? '')}`,
    onDone: onClose,
    hasForm: true,
  })
  if (!person) return <ChoosePerson title={`Assign an owner to ${name}`} onChoose={setPerson} onClose={onClose} />
  const who = visibleText(person.name)
  const isSame = person.id === ownerId
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Register ${name} to ${who}?`}
      isDangerous={false}
      consequences={
        isSame
          ? []
          : [
              ...(ownerId === undefined ? [] : [`${ownerName} can no longer sign in with it.`]),
              'What fails counts from now: some checks block at once, others after their grace period.',
            ]
      }
      stays={isSame ? `${who} owns it already.` : `${who} (${visibleText(person.email)}) can sign in with it.`}
      verb={`Register to ${who.length > 30 ? 'this person' : who}`}
      isReady={!isSame}
      onConfirm={() => assign.mutate(person.id)}
      isBusy={assign.isPending}
      fault={assign.faultBeside}
    />
  )
}
