import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'

export function Agents({ summary: { standings, late } }: { summary: ConsoleSummary }) {
  const reporting = standings.blocked + standings.will_block + standings.notified + standings.good
  const enrolled = reporting + standings.stale + standings.never
  const figures: readonly (readonly [number, string, ('stale' | 'never')?])[] = [
    [reporting - late, 'on time'],
    [late, 'late, over 1 h'],
    [standings.stale, 'stale, over 7 d', 'stale'],
    [standings.never, 'never', 'never'],
  ]
  return (
    <section aria-labelledby="agents">
      <div className="section-head">
        <h2 id="agents">Agents</h2>
        <span className="small faint">{enrolled.toLocaleString('en')} enrolled</span>
      </div>
      <dl className="figures">
        {figures.map(([count, text, state]) => (
          <div key={text}>
            <dd>
              {state === undefined ? (
                count.toLocaleString('en')
              ) : (
                <Link to="/devices" search={{ state }}>
                  {count.toLocaleString('en')}
                </Link>
              )}
            </dd>
            <dt className="small secondary">{text}</dt>
          </div>
        ))}
      </dl>
    </section>
  )
}
