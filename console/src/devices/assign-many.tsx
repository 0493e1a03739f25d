import { maxRegisteredAtOnce } from '@muster/contract/console-values.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { devicesInWords } from '../components/devices-in-words.ts'
import { isWide } from '../components/is-wide.ts'
import type { Selection } from '../components/selection.ts'
import { useNeeded } from '../components/use-needed.ts'
import { visibleText } from '../components/visible-text.ts'
import { ChoosePerson, type ChosenPerson } from '../people/choose-person.tsx'
import { chosenIds } from './chosen-ids.ts'
import type { DeviceFilters } from './device-filters.ts'
import type { Account } from './in-steps.ts'
import { registerDevices } from './register-devices.ts'
import { ownersQuery } from './unregister-chosen.ts'
import { ownersInWords } from './unregister-many.tsx'
import { useSteps } from './use-steps.tsx'

type Parts = {
  readonly selection: Selection
  readonly filters: DeviceFilters
  readonly size: number
  readonly onChanged: () => void
  readonly onClose: () => void
  readonly onDone: () => void
}

/** One person for all that were chosen. */
export function AssignMany(parts: Parts) {
  const [person, setPerson] = useState<ChosenPerson>()
  const title = `Assign an owner to ${devicesInWords(parts.size)}`
  if (!person) return <ChoosePerson title={title} onChoose={setPerson} onClose={parts.onClose} />
  return <Confirm {...parts} person={person} />
}

function Confirm(parts: Parts & { readonly person: ChosenPerson }) {
  const { selection, filters, size, person, onChanged, onClose, onDone } = parts
  const preview = useNeeded(useQuery(ownersQuery(selection, filters)), onClose)
  const who = visibleText(person.name)
  const endOf = ({ done }: Account) => `${devicesInWords(done)} ${done === 1 ? 'is' : 'are'} registered to ${who}`
  const { account, progress, ends } = useSteps({
    total: size,
    begin: (signal) => ({
      batches: chosenIds({ selection, filters, signal }, maxRegisteredAtOnce),
      step: (ids: readonly string[]) => registerDevices(ids.map((id) => ({ device_id: id, person_id: person.id }))),
    }),
    endOf,
    close: 'Back to the list',
    onChanged,
    onClose,
    onDone,
  })
  if (account) return account
  if (!preview) return null
  const { registered_count: owned } = preview
  return (
    <ConfirmDialog
      isOpen
      {...ends}
      question={`Register ${devicesInWords(size)} to ${who}?`}
      isDangerous={owned > 0}
      consequences={[
        ...(owned === 0
          ? []
          : [
              `${devicesInWords(owned)} already ${owned === 1 ? 'has an owner' : 'have owners'}: ${ownersInWords(preview)}.`,
            ]),
        'What fails counts from now: some checks block at once, others after their grace period.',
      ]}
      stays={`${who} (${visibleText(person.email)}) can sign in with ${size === 1 ? 'it' : 'them'}.`}
      verb={`Register ${devicesInWords(size)}`}
      {...(isWide(size, preview.all_devices_count) && { typed: String(size) })}
    >
      {progress}
    </ConfirmDialog>
  )
}
