import type { Pagination } from '@muster/contract/pagination.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ChangesBar } from './changes-bar.tsx'
import { FilterChip } from './filter-chip.tsx'
import { ListBody, type ListFoot } from './list-body.tsx'
import { RowCount } from './row-count.tsx'
import { SearchBox } from './search-box.tsx'

export type ListFilters = { readonly q?: string; readonly after?: string }

type Option = { readonly value: string; readonly text: string }

export type ListChip = {
  /** "Within": what the chip is called. */
  readonly field: string
  /** The filter that it sets, as the address names it. */
  readonly name: string
  readonly options: readonly Option[]
  /** The value that holds while the address names none. */
  readonly usual?: string
  /** What is set when the chip is taken away, where that is not nothing. */
  readonly cleared?: string
  /** Any of several values, joined by commas. */
  readonly isMany?: boolean
}

/** The values of a filter, from their words. */
export const optionsOf = (words: Readonly<Record<string, string>>): Option[] =>
  Object.entries(words).map(([value, text]) => ({ value, text }))

/** Where a link from a record has narrowed the list to it: a chip that can only be taken away. */
export const onlyChip = (field: string, name: string, id: string | undefined, text = id): ListChip[] =>
  id === undefined ? [] : [{ field, name, options: [{ value: id, text: text ?? id }] }]

export type ListViewParts<Row, Filters extends ListFilters> = {
  readonly list: UseQueryResult<{ readonly data: readonly Row[]; readonly pagination: Pick<Pagination, 'next_cursor'> }>
  /** "People": the name of the table, and what could not be loaded. */
  readonly name: string
  /** "person", "people". */
  readonly nouns: readonly [one: string, many: string]
  readonly filters: Filters
  /** Filters as an address may have them, without what they cannot mean. */
  readonly read: (raw: Readonly<Record<string, unknown>>) => Filters
  /** The filters as a sentence; blank when there are none. */
  readonly inWords: (filters: Filters) => string
  /** Left out where one page is all that is shown. `isTyping`: the address is replaced, so that going back does not go letter by letter. */
  readonly onShow?: (filters: Filters, isTyping?: boolean) => void
  /** Fetches the page that a cursor leads to, before someone goes there. */
  readonly onNear?: (filters: Filters) => void
  /** "Name or e-mail": what the search looks at. Left out where nothing is searched. */
  readonly searched?: string
  readonly chips?: readonly ListChip[]
  /** How many the filter finds, where they are counted. */
  readonly count?: number | undefined
  readonly isCounted?: boolean
  /** Beside the filters: the order, the columns. */
  readonly choices?: ReactNode
  /** Above the rows: what can be done with those that are chosen. */
  readonly above?: ReactNode
  /** What is shown while there is nothing at all. */
  readonly empty: ReactNode
  /** Rows that stay where they are while others come. */
  readonly steady?: { readonly rows: readonly Row[]; readonly changes: number; readonly show: () => void }
  readonly className?: string
  /** Of a table whose cells are laid out by styles of their own on a phone. */
  readonly hasOwnLayout?: boolean
  /** Within a page that has its own margins. */
  readonly isInset?: boolean
  /** Below the rows, instead of the way to the next page alone. */
  readonly foot?: ListFoot
  /** Head and body of the table. */
  readonly children: (rows: readonly Row[]) => ReactNode
}

/** A list with its search, its filters and its pages. */
export function ListView<Row, Filters extends ListFilters>(parts: ListViewParts<Row, Filters>) {
  const { list, name, nouns, filters, inWords, onShow, onNear, searched, chips = [], steady, isInset = false } = parts
  const { className = '', hasOwnLayout = false, choices, above, foot, isCounted = false, empty, children } = parts
  const change = (wanted: Readonly<Record<string, unknown>>, isTyping = false) => {
    const { after: _after, ...kept } = filters
    onShow?.(parts.read({ ...kept, ...wanted }), isTyping)
  }
  const hasBar = searched !== undefined || chips.length > 0 || choices !== undefined || isCounted
  return (
    <>
      {hasBar && (
        <search className={isInset ? 'filterbar within' : 'filterbar'}>
          {searched !== undefined && (
            <SearchBox value={filters.q ?? ''} placeholder={searched} onChange={(q) => change({ q }, true)} />
          )}
          {chips.map((chip) => (
            <Chip key={chip.name} chip={chip} filters={filters} onChange={change} />
          ))}
          {isCounted && <span className="grow" />}
          {isCounted && <RowCount count={parts.count} one={nouns[0]} many={nouns[1]} />}
          {choices}
        </search>
      )}
      {steady && <ChangesBar changes={steady.changes} onShow={steady.show} />}
      {above}
      <ListBody
        list={list}
        {...(steady && { rows: steady.rows })}
        name={name}
        filter={inWords(filters)}
        noMatch={`No ${nouns[1]} match.`}
        onClear={() => onShow?.(parts.read({}))}
        empty={empty}
        after={filters.after}
        {...(onShow && { onNext: (after) => onShow({ ...filters, after }) })}
        {...(onNear && { onNear: (after) => onNear({ ...filters, after }) })}
        {...(foot && { foot })}
        isInset={isInset}
        className={className}
        hasOwnLayout={hasOwnLayout}
      >
        {children}
      </ListBody>
    </>
  )
}

type ChipParts = {
  readonly chip: ListChip
  readonly filters: ListFilters
  readonly onChange: (wanted: Readonly<Record<string, unknown>>) => void
}

function Chip({ chip: { field, name, options, usual, cleared, isMany = false }, filters, onChange }: ChipParts) {
  const value = (filters as Readonly<Record<string, string | undefined>>)[name] ?? usual
  return (
    <FilterChip
      isSingle={!isMany}
      field={field}
      options={options}
      chosen={value === undefined || value === cleared ? [] : isMany ? value.split(',') : [value]}
      onChange={(chosen) => onChange({ [name]: chosen.length === 0 ? cleared : chosen.join(',') })}
    />
  )
}
