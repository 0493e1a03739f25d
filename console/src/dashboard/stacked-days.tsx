import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { type KeyboardEvent, useState } from 'react'
import { dayOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { changeLabels, type DayFigures, lastDays, ticksFor, troubled } from './day-figures.ts'
import { DaySaid } from './day-said.tsx'
import { DayTable } from './day-table.tsx'
import { dayWithChanges, emptyChartInWords } from './day-words.ts'
import './days.css'

const parts = [
  ['blocked', 'Blocked'],
  ['will_block', 'Will Block'],
  ['notified', 'Notified'],
] as const

const barClass = { blocked: 'day-blocked', will_block: 'day-will', notified: 'day-notified' } as const
const height = 200

/** How many devices have a problem, day by day. */
export function StackedDays({ summary }: { summary: ConsoleSummary }) {
  const [isTable, setIsTable] = useState(false)
  const days = lastDays(summary, Date.now())
  const none = emptyChartInWords(days)
  return (
    <section aria-labelledby="days">
      <div className="section-head">
        <h2 id="days">Devices with a problem, 30 days</h2>
        <span className="row">
          {!isTable &&
            none === undefined &&
            parts.map(([name, word]) => (
              <span key={name} className="legend small secondary">
                <i className={barClass[name]} aria-hidden="true" />
                {word}
              </span>
            ))}
          <button type="button" className="plain underlined" onClick={() => setIsTable(!isTable)}>
            {isTable ? 'Show as chart' : 'Show as table'}
          </button>
        </span>
      </div>
      {isTable && <DayTable days={days} />}
      {!isTable && (none === undefined ? <Chart days={days} /> : <NoChart words={none} today={days.at(-1)} />)}
    </section>
  )
}

const NoChart = ({ words, today }: { readonly words: string; readonly today: DayFigures | undefined }) => (
  <>
    <p className="secondary">{words}</p>
    {today && <DaySaid shown={today} isToday />}
  </>
)

function Chart({ days }: { days: readonly DayFigures[] }) {
  const [chosen, setChosen] = useState(days.length - 1)
  const most = Math.max(1, ...days.map(({ figures }) => (figures ? troubled(figures) : 0)))
  const ticks = ticksFor(most)
  const top = ticks.at(-1) ?? 1
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -days.length, End: days.length }[event.key]
    if (by === undefined) return
    event.preventDefault()
    setChosen((was) => Math.min(days.length - 1, Math.max(0, was + by)))
  }
  const shown = days[chosen]
  return (
    <>
      <div className="days">
        <ChangeNames days={days} />
        <div className="days-axis" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <span key={tick}>{tick}</span>
          ))}
        </div>
        <div
          className="days-plot"
          role="slider"
          tabIndex={0}
          aria-label="Day"
          aria-valuemin={1}
          aria-valuemax={days.length}
          aria-valuenow={chosen + 1}
          aria-valuetext={shown && dayWithChanges(shown)}
          onKeyDown={step}
        >
          <svg
            viewBox={`0 0 ${days.length * 10} ${height}`}
            preserveAspectRatio="none"
            focusable="false"
            aria-hidden="true"
          >
            {ticks.map((tick) => (
              <path
                key={tick}
                className="day-line"
                d={`M0 ${height - (tick / top) * height}H${days.length * 10}`}
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {days.map((day, index) => (
              <g key={day.day} onPointerEnter={() => setChosen(index)} className={index === chosen ? 'on' : undefined}>
                <rect className="day-ground" x={index * 10} y="0" width="10" height={height} />
                {day.changed && (
                  <path className="day-change" d={`M${index * 10 + 5} 0V${height}`} vectorEffect="non-scaling-stroke" />
                )}
                {day.figures && <Column figures={day.figures} x={index * 10 + 1} top={top} />}
              </g>
            ))}
          </svg>
        </div>
        <div className="days-names small secondary" aria-hidden="true">
          {days.map(({ day }, index) => (
            <span key={day}>{(days.length - 1 - index) % 7 === 1 ? dayOf(day, Date.now()) : ''}</span>
          ))}
        </div>
      </div>
      {shown && <DaySaid shown={shown} isToday={chosen === days.length - 1} />}
    </>
  )
}

function Column({ figures, x, top }: { figures: ConsoleSummary['standings']; x: number; top: number }) {
  let below = 0
  return parts.map(([name]) => {
    if (figures[name] === 0) return null
    const size = (figures[name] / top) * height
    below += size
    return (
      <rect key={name} className={barClass[name]} x={x} y={height - below} width="8" height={Math.max(1, size - 1)} />
    )
  })
}

/** Which checks were changed, above the dotted lines; in words below the chart, and in the table. */
function ChangeNames({ days }: { days: readonly DayFigures[] }) {
  const labels = changeLabels(days)
  if (labels.every((label) => label === undefined)) return null
  return (
    <div className="days-changes faint" aria-hidden="true">
      {days.map(({ day }, index) => (
        <span key={day} className={labels[index]?.isBefore ? 'before' : undefined}>
          {labels[index] && <span>{visibleText(labels[index].text)}</span>}
        </span>
      ))}
    </div>
  )
}
