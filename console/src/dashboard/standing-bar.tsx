import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { StandingShape, standingTone, standingWords } from '../components/state-shape.tsx'
import { sharesOf } from './shares.ts'

type Standings = ConsoleSummary['standings']
const reporting = ['blocked', 'will_block', 'notified', 'good'] as const
const silent = ['stale', 'never'] as const
const hints = { stale: 'no report for 7 days', never: 'enrolled, no report yet' } as const

/** How many devices stand how: a bar, and the six figures, each with its list. */
export function StandingBar({ summary: { standings, only_reporting: only } }: { summary: ConsoleSummary }) {
  const shares = sharesOf(reporting.map((name) => standings[name]))
  const known = reporting.reduce((sum, name) => sum + standings[name], 0)
  const unknown = standings.stale + standings.never
  const total = known + unknown
  return (
    <>
      <svg
        className="standing-bar"
        viewBox="0 0 1000 10"
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        {segmentsOf(standings, total).map(({ name, x, width }) => (
          <rect key={name} className={`bar-${standingTone[name]}`} x={x} y="0" width={width} height="10" rx="1" />
        ))}
      </svg>
      <div className="stats">
        {reporting.map((name, place) => (
          <Stat
            key={name}
            name={name}
            count={standings[name]}
            hint={only && name === 'good' ? openIn(only.devices_with_issues) : shares[place] || '—'}
          />
        ))}
        {silent.map((name) => (
          <Stat key={name} name={name} count={standings[name]} hint={hints[name]} />
        ))}
      </div>
    </>
  )
}

/** While checks only report, that all are good tells nothing. */
const openIn = (count: number): string => `${count.toLocaleString('en')} with an open issue`

/** Every standing that occurs is at least 4 of 1000 wide, so that one blocked device among thousands is seen. */
function segmentsOf(standings: Standings, total: number) {
  const present = [...reporting, ...silent].filter((name) => standings[name] > 0)
  const free = 1000 - present.length * 4 - Math.max(0, present.length - 1) * 2
  let x = 0
  return present.map((name) => {
    const width = 4 + (standings[name] / total) * free
    const segment = { name, x, width }
    x += width + 2
    return segment
  })
}

type StatParts = { readonly name: keyof Standings; readonly count: number; readonly hint: string }

const Stat = ({ name, count, hint }: StatParts) => (
  <Link to="/devices" search={{ state: name }} className={name === 'stale' ? 'stat apart' : 'stat'}>
    <span className="stat-name">
      <StandingShape standing={name} />
      {standingWords[name]}
    </span>
    <span className="stat-count">{count.toLocaleString('en')}</span>
    <span className="small secondary">{hint}</span>
  </Link>
)
