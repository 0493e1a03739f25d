import { useEffect, useState } from 'react'
import { FilterChip } from '../components/filter-chip.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { standingWords } from '../components/state-shape.tsx'
import { type DeviceFilters, platforms, standings } from './device-filters.ts'

type Parts = {
  readonly filters: DeviceFilters
  readonly count: number | undefined
  readonly onChange: (filters: DeviceFilters, isTyping?: boolean) => void
}

const ownerOptions = [
  { value: 'registered', text: 'Registered' },
  { value: 'none', text: 'Not registered' },
]

export function DeviceFilterBar({ filters, count, onChange }: Parts) {
  const { after: _after, from: _from, ...kept } = filters
  const with_ = (field: 'state' | 'platform' | 'owner' | 'q', value: string | undefined): DeviceFilters => {
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
      <span className="grow" />
      <Count count={count} />
    </search>
  )
}

function Count({ count }: { count: number | undefined }) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (count !== undefined) setSaid(count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`)
  }, [count])
  return (
    <span className="t2 tn" role="status">
      {said}
    </span>
  )
}
