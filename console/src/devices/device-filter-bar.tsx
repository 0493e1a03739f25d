import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { deviceGroupsQuery } from '../checks/check-queries.ts'
import { copyText } from '../components/copy-text.ts'
import { FilterChip } from '../components/filter-chip.tsx'
import { keysOf } from '../components/read-filters.ts'
import { RowCount } from '../components/row-count.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { standingWords } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { apiQueryOf } from './api-query.ts'
import { type DeviceFilters, platforms, standings } from './device-filters.ts'
import { identityWords } from './identity-doubts.ts'
import { modeWords } from './sign-in-modes.ts'

type Parts = {
  readonly filters: DeviceFilters
  readonly count: number | undefined
  readonly onChange: (filters: DeviceFilters, isTyping?: boolean) => void
  /** Behind the count. */
  readonly children: ReactNode
}

const ownerOptions = [
  { value: 'registered', text: 'Registered' },
  { value: 'none', text: 'Not registered' },
]

export function DeviceFilterBar({ filters, count, onChange, children }: Parts) {
  const { after: _after, from: _from, ...kept } = filters
  const with_ = (
    field: 'state' | 'platform' | 'owner' | 'mode' | 'identity' | 'group' | 'q',
    value: string | undefined,
  ): DeviceFilters => {
    const { [field]: _was, ...others } = kept
    return value === undefined || value === '' ? others : { ...others, [field]: value }
  }
  return (
    <search className="filterbar">
      <SearchBox
        value={filters.q ?? ''}
        placeholder="Name, owner, serial or note"
        onChange={(text) => onChange(with_('q', text), true)}
      />
      <FilterChip
        field="State"
        options={standings.map((value) => ({ value, text: standingWords[value] }))}
        chosen={filters.state?.split(',') ?? []}
        onChange={(values) => onChange(with_('state', values.join(',')))}
      />
      <FilterChip
        field="Platform"
        options={platforms.map((value) => ({ value, text: value }))}
        chosen={filters.platform?.split(',') ?? []}
        onChange={(values) => onChange(with_('platform', values.join(',')))}
      />
      <FilterChip
        field="Owner"
        isSingle
        options={ownerOptions}
        chosen={filters.owner ? [filters.owner] : []}
        onChange={([value]) => onChange(with_('owner', value))}
      />
      <FilterChip
        field="Sign-in"
        isSingle
        options={keysOf(modeWords).map((value) => ({ value, text: modeWords[value] }))}
        chosen={filters.mode ? [filters.mode] : []}
        onChange={([value]) => onChange(with_('mode', value))}
      />
      <FilterChip
        field="Identity"
        isSingle
        options={keysOf(identityWords).map((value) => ({ value, text: identityWords[value] }))}
        chosen={filters.identity ? [filters.identity] : []}
        onChange={([value]) => onChange(with_('identity', value))}
      />
      <GroupChip group={filters.group} onChange={(group) => onChange(with_('group', group))} />
      <span className="grow" />
      <ApiQuery filters={filters} />
      <RowCount count={count} one="device" many="devices" />
      {children}
    </search>
  )
}

/** Absent where the API could not say it exactly. */
function ApiQuery({ filters }: { readonly filters: DeviceFilters }) {
  const query = apiQueryOf(filters)
  if (query === undefined) return null
  const copy = () =>
    copyText(`${location.origin}/devices?${new URLSearchParams({ query })}`, 'The address of the API query')
  return (
    <button type="button" className="plain t2 api-query" onClick={() => void copy()}>
      Copy as API query
    </button>
  )
}

type GroupParts = { readonly group: string | undefined; readonly onChange: (group: string | undefined) => void }

/** Nothing where there are no groups. */
function GroupChip({ group, onChange }: GroupParts) {
  const { data: groups } = useQuery(deviceGroupsQuery)
  const options = (groups ?? []).map(({ id, name }) => ({ value: id, text: visibleText(name) }))
  if (group !== undefined && !options.some(({ value }) => value === group)) {
    options.push({ value: group, text: `Group ${group}` })
  }
  if (options.length === 0) return null
  return (
    <FilterChip
      field="Group"
      isSingle
      options={options}
      chosen={group === undefined ? [] : [group]}
      onChange={([value]) => onChange(value)}
    />
  )
}
