import { query } from '../api/query.ts'
import './past-day.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { dayName } from '../components/times.ts'
import type { DeviceFilters } from './device-filters.ts'

export const dayQuery = (day: string | undefined) =>
  query('describeDay', { query: { as_of: day ?? '' } }, { enabled: day !== undefined })

type Parts = { readonly day: string; readonly filters: DeviceFilters }

/** Says that the list is of a day that is over, and what it can and cannot say of it. */
export function PastDay({ day, filters }: Parts) {
  const { data } = useQuery(dayQuery(day))
  const { as_of: _day, after: _after, from: _from, ...today } = filters
  return (
    <section className="past-day" aria-label="Past day">
      <p>
        {data?.standings === null ? (
          <>
            <strong>Nothing is known of {dayName(day)}:</strong> the devices were not counted that day.
          </>
        ) : (
          <>
            <strong>As of {dayName(day)}:</strong> each device in the state that it had at the end of that day (UTC), as
            the dashboard counted it. Names, owners and groups are those of now; deadlines, issues and when a device was
            last seen are not kept by day.{data && ` ${unlistedSentence(data.unlisted)}`}
          </>
        )}
      </p>
      <Link className="underlined" to="/devices" search={today}>
        Show today
      </Link>
    </section>
  )
}

function unlistedSentence(count: number): string {
  if (count === 0) return ''
  const what = count === 1 ? '1 more device was' : `${count.toLocaleString('en')} more devices were`
  return `${what} counted that day and cannot be listed, because they were permanently deleted.`
}
