import type { UnregistrationPreview } from '@muster/contract/console-unregistrations.ts'
import { useQuery } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { devicesInWords } from '../components/devices-in-words.ts'
import { isWide } from '../components/is-wide.ts'
import type { Selection } from '../components/selection.ts'
import { useNeeded } from '../components/use-needed.ts'
import { visibleText } from '../components/visible-text.ts'
import type { DeviceFilters } from './device-filters.ts'
import type { Account } from './in-steps.ts'
import { ownersQuery, unregisterChosen } from './unregister-chosen.ts'
import { useSteps } from './use-steps.tsx'

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
  const count = preview?.registered_count ?? 0
  const { account, progress, ends } = useSteps({
    total: count,
    begin: (signal) => unregisterChosen({ selection: owned, filters: { ...filters, owner: 'registered' }, signal }),
    endOf,
    close: 'Back to the list',
    onChanged,
    onClose,
    onDone,
  })
  if (account) return account
  if (!preview) return null
  return (
    <ConfirmDialog
      isOpen
      {...ends}
      question={`Unregister ${devicesInWords(count)}?`}
      consequences={consequencesOf(preview)}
      stays={staysOf(preview)}
      verb={`Unregister ${devicesInWords(count)}`}
      {...(isWide(count, preview.all_devices_count) && { typed: String(count) })}
    >
      {progress}
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
        ? [`${all} has no other device, and may register another one without approval.`]
        : left === 1
          ? ['1 person has no other device, and may register another one without approval.']
          : [
              `${left.toLocaleString('en')} people have no other device, and may register another one without approval.`,
            ]),
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
