import { maxRegisteredAtOnce } from '@muster/contract/console-values.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/api.ts'
import { useAction } from '../api/use-action.ts'
import { useNeeded } from '../api/use-needed.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { isWide } from '../components/is-wide.ts'
import type { Selection } from '../components/selection.ts'
import { visibleText } from '../components/visible-text.ts'
import { ChoosePerson, type ChosenPerson } from '../people/choose-person.tsx'
import { AccountDialog, devicesInWords } from './account-dialog.tsx'
import { chosenIds } from './chosen-ids.ts'
import type { DeviceFilters } from './device-filters.ts'
import { type Account, inSteps } from './in-steps.ts'
import { ownersQuery } from './unregister-chosen.ts'
import { ownersInWords } from './unregister-many.tsx'

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
  const [asked, setAsked] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  const who = visibleText(person.name)
  const endOf = ({ done }: Account) => `${devicesInWords(done)} ${done === 1 ? 'is' : 'are'} registered to ${who}`
  const assign = useAction<void, Account>({
    act: () => {
      const stop = new AbortController()
      stopping.current = stop
      const walk = { selection, filters, signal: stop.signal, onProgress: setAsked }
      return inSteps({
        ...{ batches: chosenIds(walk, maxRegisteredAtOnce), ...walk },
        step: async (ids) => {
          const registrations = ids.map((id) => ({ device_id: id, person_id: person.id }))
          const answer = await api('registerDevices', { body: { registrations } })
          return { done: answer.registered_count + answer.unchanged_count, refused: answer.refused }
        },
      })
    },
    refresh: [['devices'], ['people'], ['audit']],
    said: (account) => (account.refused.length === 0 && account.ended === undefined ? endOf(account) : undefined),
    onDone: ({ refused, ended }) => {
      onChanged()
      if (refused.length === 0 && ended === undefined) onDone()
    },
    hasForm: true,
  })
  useEffect(() => () => stopping.current?.abort(), [])
  if (assign.data) {
    const account = assign.data
    return <AccountDialog title={endOf(account)} account={account} close="Back to the list" onClose={onDone} />
  }
  if (!preview) return null
  const { registered_count: owned } = preview
  return (
    <ConfirmDialog
      isOpen
      onClose={assign.isPending ? () => stopping.current?.abort() : onClose}
      {...(assign.isPending && { cancel: 'Stop' })}
      question={`Register ${devicesInWords(size)} to ${who}?`}
      isDangerous={owned > 0}
      consequences={[
        ...(owned === 0
          ? []
          : [
              `${devicesInWords(owned)} of ${ownersInWords(preview)} ${owned === 1 ? 'changes its' : 'change their'} owner.`,
            ]),
        'Checks that warn, then block count their grace period from now.',
      ]}
      stays={`${who} (${visibleText(person.email)}) can sign in with ${size === 1 ? 'it' : 'them'}.`}
      verb={`Register ${devicesInWords(size)}`}
      {...(isWide(size, preview.all_devices_count) && { typed: String(size) })}
      onConfirm={() => assign.mutate()}
      isBusy={assign.isPending}
      fault={assign.faultBeside()}
    >
      {assign.isPending && (
        <p className="t2 tn" role="status">
          {Math.min(asked, size).toLocaleString('en')} of {size.toLocaleString('en')} done
        </p>
      )}
    </ConfirmDialog>
  )
}
