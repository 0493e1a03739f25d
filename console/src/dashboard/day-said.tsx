import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { clockTime, dayName } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { type DayFigures, troubled } from './day-figures.ts'

/** "Fri 20 Nov 2026: 9 blocked, 27 will block, 38 notified, 74 together, 421 good" */
function dayInWords({ day, figures }: DayFigures): string {
  const name = dayName(day)
  if (!figures) return `${name}: no data for this day`
  const { blocked, will_block, notified, good } = figures
  return `${name}: ${blocked} blocked, ${will_block} will block, ${notified} notified, ${troubled(figures)} together, ${good} good`
}

/** What the slider says: the figures, and how many changes were made. */
export function dayWithChanges(shown: DayFigures): string {
  const count = (shown.changed?.changes.length ?? 0) + (shown.changed?.more ?? 0)
  const changes = count === 0 ? '' : `; ${count === 1 ? '1 change' : `${count} changes`} of checks`
  return `${dayInWords(shown)}${changes}`
}

/** The chosen day of the chart in words, with what was changed that day. */
export function DaySaid({ shown, isToday }: { readonly shown: DayFigures; readonly isToday: boolean }) {
  return (
    <div className="days-said">
      <p className="small secondary">
        {dayInWords(shown)}
        {shown.figures && (
          <>
            {' · '}
            <Link
              className="underlined"
              to="/devices"
              search={{ view: 'attention', ...(!isToday && { as_of: shown.day }) }}
            >
              {isToday ? 'These devices' : 'These devices, as of that day'}
            </Link>
          </>
        )}
      </p>
      {shown.changed && <DayChangeList {...shown.changed} />}
    </div>
  )
}

export const DayChangeList = ({ changes, more }: NonNullable<DayFigures['changed']>) => (
  <ul className="day-changes small">
    {changes.map((change) => (
      <li key={change.audit_log_id}>
        <Icon name="check" size={14} />
        <span className="wrap">
          <Link
            className="underlined"
            to="/audit/$entryId"
            params={{ entryId: change.audit_log_id }}
            title={`${clockTime(change.timestamp)} UTC`}
          >
            {visibleText(change.description)}
          </Link>
        </span>
      </li>
    ))}
    {more > 0 && (
      <li className="secondary">
        <span className="wrap">and {more.toLocaleString('en')} more</span>
      </li>
    )}
  </ul>
)
