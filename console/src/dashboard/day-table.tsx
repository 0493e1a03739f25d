import { Link } from '@tanstack/react-router'
import { Scroller } from '../components/scroller.tsx'
import { dayName } from '../components/times.ts'
import { type DayFigures, troubled } from './day-figures.ts'
import { DayChangeList } from './day-said.tsx'

const columns = [
  ['blocked', 'Blocked'],
  ['will_block', 'Will Block'],
  ['notified', 'Notified'],
  ['good', 'Good'],
  ['stale', 'Stale'],
  ['never', 'Never reported'],
] as const

/** The figures of the chart, newest first. */
export const DayTable = ({ days }: { days: readonly DayFigures[] }) => (
  <div className="days-table">
    <Scroller name="Devices with a problem, 30 days">
      <table className="table">
        <thead>
          <tr>
            <th>Day</th>
            {columns.map(([name, word]) => (
              <th key={name} className="numeric">
                {word}
              </th>
            ))}
            <th className="numeric">Together</th>
            <th>Check changes</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, figures, changed }, ago) => (
            <tr key={day}>
              <td>
                {figures ? (
                  <Link className="underlined" to="/devices" search={ago === 0 ? {} : { as_of: day }}>
                    {dayName(day)}
                  </Link>
                ) : (
                  dayName(day)
                )}
              </td>
              {columns.map(([name]) => (
                <td key={name} className="numeric">
                  {figures ? figures[name].toLocaleString('en') : '—'}
                </td>
              ))}
              <td className="numeric">{figures ? troubled(figures).toLocaleString('en') : '—'}</td>
              <td className="wrap">{changed && <DayChangeList {...changed} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  </div>
)
