import { type DeviceColumnName, type DeviceSort, deviceColumnNames } from '@muster/contract/console-values.ts'
import { ColumnChoice } from '../components/column-choice.tsx'
import { copyText } from '../components/copy-text.ts'
import { useChangePreferences } from '../components/preferences.ts'
import { SortChoice } from '../components/sort-choice.tsx'
import { apiQueryOf } from './api-query.ts'
import { columnWords } from './device-columns.tsx'
import type { DeviceFilters } from './device-filters.ts'

const sortWords = {
  usual: 'What blocks soonest',
  name: 'Name',
  '-name': 'Name, backwards',
  will_block_at: 'Deadline',
  '-will_block_at': 'Deadline, latest first',
  '-last_seen_at': 'Last seen',
  last_seen_at: 'Silent longest',
}
const pastSortWords = { usual: 'Blocked first', name: sortWords.name, '-name': sortWords['-name'] }

type Parts = {
  readonly filters: DeviceFilters
  readonly onSort: (sort: DeviceSort | undefined) => void
  readonly columns: readonly DeviceColumnName[]
  readonly isSelecting: boolean
  /** Undefined: the administrator may do nothing with several devices. */
  readonly onSelecting: ((isSelecting: boolean) => void) | undefined
}

/** Beside the filters: the same question for the API, the order, and which columns are shown. */
export function DeviceChoices({ filters, onSort, columns, isSelecting, onSelecting }: Parts) {
  const change = useChangePreferences()
  return (
    <>
      <ApiQuery filters={filters} />
      <SortChoice words={filters.as_of === undefined ? sortWords : pastSortWords} sort={filters.sort} onSort={onSort} />
      {onSelecting && (
        <button type="button" className="plain underlined select-rows" onClick={() => onSelecting(!isSelecting)}>
          {isSelecting ? 'Done selecting' : 'Select'}
        </button>
      )}
      <ColumnChoice
        words={columnWords}
        all={deviceColumnNames}
        shown={columns}
        onChange={(shown) => change.mutate({ device_columns: shown && [...shown] })}
      />
    </>
  )
}

/** Absent where the API could not say it exactly. */
function ApiQuery({ filters }: { readonly filters: DeviceFilters }) {
  const query = apiQueryOf(filters)
  if (query === undefined) return null
  const copy = () =>
    copyText(`${location.origin}/devices?${new URLSearchParams({ query })}`, 'The address of the API query')
  return (
    <button type="button" className="plain secondary api-query" onClick={() => void copy()}>
      Copy as API query
    </button>
  )
}
