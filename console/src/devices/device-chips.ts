import { useQuery } from '@tanstack/react-query'
import { deviceGroupsQuery } from '../checks/check-queries.ts'
import { type ListChip, optionsOf } from '../components/list-view.tsx'
import { standingWords } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { companionWords } from './companion-words.ts'
import { platforms } from './device-filters.ts'
import { identityWords } from './identity-doubts.ts'
import { modeWords } from './sign-in-modes.ts'

const chips: readonly ListChip[] = [
  { field: 'State', name: 'state', options: optionsOf(standingWords), isMany: true },
  { field: 'Platform', name: 'platform', options: platforms.map((value) => ({ value, text: value })), isMany: true },
  { field: 'Owner', name: 'owner', options: optionsOf({ registered: 'Registered', none: 'Not registered' }) },
  { field: 'Sign-in', name: 'mode', options: optionsOf(modeWords) },
  { field: 'Identity', name: 'identity', options: optionsOf(identityWords) },
  { field: 'Companion', name: 'companion', options: optionsOf(companionWords) },
]

/** What devices are filtered by: by their groups too, where there are any. */
export function useDeviceChips(group: string | undefined): readonly ListChip[] {
  const { data: groups } = useQuery(deviceGroupsQuery)
  const options = (groups ?? []).map(({ id, name }) => ({ value: id, text: visibleText(name) }))
  if (group !== undefined && !options.some(({ value }) => value === group)) {
    options.push({ value: group, text: `Group ${group}` })
  }
  return options.length === 0 ? chips : [...chips, { field: 'Group', name: 'group', options }]
}
