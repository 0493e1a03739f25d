import { Button } from '@mantine/core'
import { NextPage } from '../components/cursor-paging.tsx'
import { Icon } from '../components/icon.tsx'
import { type DeviceFilters, pageSizeOf, pageSizes, readDeviceFilters } from './device-filters.ts'

type Parts = {
  readonly filters: DeviceFilters
  readonly shown: number
  readonly total: number | undefined
  readonly next: string
  readonly onChange: (filters: DeviceFilters) => void
  /** To another page of the same list. */
  readonly onTurn: (filters: DeviceFilters) => void
  /** Someone is about to go there. */
  readonly onNear: (filters: DeviceFilters) => void
}

const words = {
  usual: 'Sorted by what blocks soonest.',
  name: 'Sorted by name.',
  '-name': 'Sorted by name, Z to A.',
  will_block_at: 'Sorted by earliest deadline.',
  '-will_block_at': 'Sorted by latest deadline.',
  last_seen_at: 'Sorted by longest silence; never reported last.',
  '-last_seen_at': 'Sorted by last seen.',
} as const

function orderInWords({ sort, as_of: day }: DeviceFilters): string {
  if (day === undefined) return `${words[sort ?? 'usual']} Times show UTC on hover.`
  return sort === undefined ? 'Sorted by blocked on that day.' : words[sort]
}

export function DevicePaging({ filters, shown, total, next, onChange, onTurn, onNear }: Parts) {
  const from = Number(filters.from ?? 0)
  const { after: _after, from: _from, ...first } = filters
  const following = (after: string): DeviceFilters => ({ ...filters, after, from: String(from + shown) })
  return (
    <div className="table-foot">
      <span>{orderInWords(filters)}</span>
      <span className="row">
        <label className="row">
          Rows
          <select
            className="select"
            value={pageSizeOf(filters)}
            onChange={(event) => onChange(readDeviceFilters({ ...first, per: event.currentTarget.value }))}
          >
            {pageSizes.map((size) => (
              <option key={size}>{size}</option>
            ))}
          </select>
        </label>
        <span className="tabular">
          {(from + 1).toLocaleString('en')}–{(from + shown).toLocaleString('en')}
          {total !== undefined && ` of ${total.toLocaleString('en')}`}
        </span>
        <Button aria-label="Previous page" disabled={filters.after === undefined} onClick={() => history.back()}>
          <Icon name="chevronLeft" size={14} />
        </Button>
        <NextPage next={next} onNext={() => onTurn(following(next))} onNear={(after) => onNear(following(after))} />
      </span>
    </div>
  )
}
