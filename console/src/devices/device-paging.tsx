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
  /** Somebody is about to go there. */
  readonly onNear: (filters: DeviceFilters) => void
}

const words = {
  usual: 'What blocks soonest comes first.',
  name: 'By name.',
  '-name': 'By name, backwards.',
  will_block_at: 'What will block soonest comes first.',
  '-will_block_at': 'What will block latest comes first.',
  last_seen_at: 'What has been silent longest comes first; what never reported last.',
  '-last_seen_at': 'What reported last comes first.',
} as const

function orderInWords({ sort, as_of: day }: DeviceFilters): string {
  if (day === undefined) return `${words[sort ?? 'usual']} Times show UTC on hover.`
  return sort === undefined ? 'What was blocked then comes first.' : words[sort]
}

export function DevicePaging({ filters, shown, total, next, onChange, onTurn, onNear }: Parts) {
  const from = Number(filters.from ?? 0)
  const { after: _after, from: _from, ...first } = filters
  const following = (after: string): DeviceFilters => ({ ...filters, after, from: String(from + shown) })
  return (
    <div className="tfoot">
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
        <span className="tn">
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
