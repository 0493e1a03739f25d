import { useQuery } from '@tanstack/react-query'
import { given, keysOf } from '../components/read-filters.ts'
import { SavedViews } from '../components/saved-views.tsx'
import { type DeviceFilters, type ViewName, views, viewsOfDay } from './device-filters.ts'
import { summaryQuery } from './device-queries.ts'
import { dayQuery } from './past-day.tsx'

type Parts = { readonly filters: DeviceFilters; readonly onChange: (filters: DeviceFilters) => void }

/** The saved views that come with the console, with how many devices are in each. */
export function DeviceViews({ filters, onChange }: Parts) {
  const { data: summary } = useQuery(summaryQuery)
  const { as_of: day } = filters
  const past = useQuery(dayQuery(day)).data
  const of = day === undefined ? summary?.standings : (past?.standings ?? undefined)
  const whole = given({ as_of: day })
  const counts: Readonly<Record<ViewName | 'all', number | undefined>> = {
    all: of && Object.values(of).reduce((sum, count) => sum + count, 0),
    attention: of && of.blocked + of.will_block + of.notified,
    blocked: of?.blocked,
    soon: summary?.blocking_within_24h,
    silent: of && of.stale + of.never,
  }
  const tabs: readonly (readonly [ViewName | 'all', string])[] = [
    ['all', 'All devices'],
    ...(day === undefined ? keysOf(views) : viewsOfDay).map((name) => [name, views[name].text] as const),
  ]
  const isEdited = Boolean(filters.state ?? filters.platform ?? filters.owner ?? filters.group ?? filters.q)
  return (
    <div className="viewbar">
      <div className="views">
        {tabs.map(([name, text]) => (
          <button
            type="button"
            key={name}
            className={(filters.view ?? 'all') === name ? 'on' : ''}
            aria-pressed={(filters.view ?? 'all') === name}
            onClick={() => onChange(name === 'all' ? whole : { ...whole, view: name })}
          >
            {text}
            {counts[name] !== undefined && <span className="count">{counts[name].toLocaleString('en')}</span>}
          </button>
        ))}
        <SavedViews page="devices" />
      </div>
      {isEdited && (
        <span className="edited">
          View edited ·{' '}
          <button
            type="button"
            className="plain"
            onClick={() => onChange({ ...whole, ...given({ view: filters.view }) })}
          >
            Reset
          </button>
        </span>
      )}
    </div>
  )
}
