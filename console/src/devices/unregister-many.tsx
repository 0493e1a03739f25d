import type { UnregistrationPreview } from '@muster/contract/console-unregistrations.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { useNeeded } from '../api/use-needed.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { isWide } from '../components/is-wide.ts'
import type { Selection } from '../components/selection.ts'
import { visibleText } from '../components/visible-text.ts'
import { AccountDialog, devicesInWords } from './account-dialog.tsx'
import type { DeviceFilters } from './device-filters.ts'
import type { Account } from './in-steps.ts'
import { ownersQuery, unregisterChosen } from './unregister-chosen.ts'

type Parts = {
  readonly selection: Selection
  /** Of the selection, those that someone owns. */
  readonly owned: Selection
  readonly filters: DeviceFilters
  /** The list is not what it was. */
  readonly onChanged: () => void
  readonly onClose: () => void
  /** All was asked for; nothing is selected anymore. */
  readonly onDone: () => void
}

/** Says whom it hits, unregisters all that were chosen, and gives an account of what was refused. */
export function UnregisterMany(parts: Parts) {
  const { selection, owned, filters, onChanged, onClose, onDone } = parts
  const preview = useNeeded(useQuery(ownersQuery(selection, filters)), onClose)
  const [done, setDone] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  const unregister = useAction<void, Account>({
    act: () => {
      const stop = new AbortController()
      stopping.current = stop
      const among: DeviceFilters = { ...filters, owner: 'registered' }
      return unregisterChosen({ selection: owned, filters: among, signal: stop.signal, onProgress: setDone })
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
  if (unregister.data) {
    const account = unregister.data
    return <AccountDialog title={endOf(account)} account={account} close="Back to the list" onClose={onDone} />
  }
  if (!preview) return null
  const count = preview.registered_count
  return (
    <ConfirmDialog
      isOpen
      onClose={unregister.isPending ? () => stopping.current?.abort() : onClose}
      {...(unregister.isPending && { cancel: 'Stop' })}
      question={`Unregister ${devicesInWords(count)}?`}
      consequences={consequencesOf(preview)}
      stays={staysOf(preview)}
      verb={`Unregister ${devicesInWords(count)}`}
      {...(isWide(count, preview.all_devices_count) && { typed: String(count) })}
      onConfirm={() => unregister.mutate()}
      isBusy={unregister.isPending}
      fault={unregister.faultBeside()}
    >
      {unregister.isPending && (
        <p className="t2 tn" role="status">
          {Math.min(done, count).toLocaleString('en')} of {count.toLocaleString('en')} done
        </p>
      )}
    </ConfirmDialog>
  )
}

const endOf = ({ done }: Account): string => `${devicesInWords(done)} ${done === 1 ? 'is' : 'are'} no longer registered`

/** "Ana, Ben and 3 others". */
export function ownersInWords(preview: UnregistrationPreview): string {
  const names = preview.owner_names.map(visibleText)
  const others = preview.owners_count - names.length
  const last = others > 0 ? (others === 1 ? '1 other' : `${others.toLocaleString('en')} others`) : names.pop()
  return names.length > 0 ? `${names.join(', ')} and ${last}` : (last ?? '')
}

function consequencesOf(preview: UnregistrationPreview): string[] {
  const { registered_count: count, deleted_count: deleted, owners_count: owners, ownerless_count: left } = preview
  const all = ownersInWords(preview)
  return [
    `${all} can no longer sign in with ${count === 1 ? 'it' : 'them'}.`,
    ...(left === 0
      ? []
      : owners === 1
        ? [`${all} has no other device, and starts again with trust on first use.`]
        : left === 1
          ? ['1 person has no other device, and starts again with trust on first use.']
          : [`${left.toLocaleString('en')} people have no other device, and start again with trust on first use.`]),
    ...(deleted === 0
      ? []
      : [
          deleted === 1
            ? '1 phone or tablet is deleted.'
            : `${deleted.toLocaleString('en')} phones and tablets are deleted.`,
        ]),
  ]
}

function staysOf({ devices_count: all, registered_count: count, deleted_count: deleted }: UnregistrationPreview) {
  const others = all - count
  const free =
    others === 0
      ? ''
      : others === 1
        ? ' 1 selected device has no owner and stays as it is.'
        : ` ${others.toLocaleString('en')} selected devices have no owner and stay as they are.`
  if (deleted === count) return free === '' ? undefined : free.trim()
  return `Results and issues stay. You can assign other owners.${free}`
}
