import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { clockTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import type { DayFigures } from './day-figures.ts'
import { dayInWords } from './day-words.ts'

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
