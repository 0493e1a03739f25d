import type { ConsoleSummary } from '@muster/contract/console-views.ts'

export function Agents({ summary: { standings, late } }: { summary: ConsoleSummary }) {
  const reporting = standings.blocked + standings.will_block + standings.notified + standings.good
  const enrolled = reporting + standings.stale + standings.never
  const figures: readonly (readonly [number, string])[] = [
    [reporting - late, 'on time'],
    [late, 'late, over 1 h'],
    [standings.stale, 'stale, over 7 d'],
    [standings.never, 'never'],
  ]
  return (
    <section aria-labelledby="agents">
      <div className="sech">
        <h2 id="agents">Agents</h2>
        <span className="sm t3">{enrolled.toLocaleString('en')} enrolled</span>
      </div>
      <dl className="figures">
        {figures.map(([count, text]) => (
          <div key={text}>
            <dd>{count.toLocaleString('en')}</dd>
            <dt className="sm t2">{text}</dt>
          </div>
        ))}
      </dl>
    </section>
  )
}
