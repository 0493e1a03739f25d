import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import { Link } from '@tanstack/react-router'
import { percentOf, undecidedOf, undecidedText } from '../checks/check-words.ts'
import { Scroller } from '../components/scroller.tsx'
import { visibleText } from '../components/visible-text.ts'

export function FailingChecks({ checks }: { checks: ConsoleSummary['failing_checks'] }) {
  const most = Math.max(1, ...checks.map(({ failing }) => failing))
  return (
    <section aria-labelledby="failing-checks">
      <div className="section-head">
        <h2 id="failing-checks">Checks that fail most</h2>
        <Link className="underlined small" to="/checks">
          All
        </Link>
      </div>
      {checks.length === 0 && <p className="secondary">No checks are failing.</p>}
      {checks.length > 0 && (
        <Scroller name="Checks that fail most">
          <table className="table rank-table">
            <thead>
              <tr>
                <th>Check</th>
                <th className="w-strategy">When it fails</th>
                <th className="numeric w-failing">Failing</th>
                <th className="w-bar">
                  <span className="hidden">Share</span>
                </th>
                <th className="numeric w-undecided">No result</th>
                <th className="numeric w-passing">Passing</th>
                <th className="numeric w-week">In 7 days</th>
              </tr>
            </thead>
            <tbody>
              {checks.map((check) => (
                <tr key={check.check_id}>
                  <td title={visibleText(check.check_name)}>
                    <Link to="/checks/$checkId" params={{ checkId: check.check_id }} className="medium" data-row-link>
                      {visibleText(check.check_name)}
                    </Link>
                  </td>
                  <td className="secondary">{check.is_paused ? 'Paused' : strategyWords[check.strategy]}</td>
                  <td className="numeric">
                    {check.failing.toLocaleString('en')}{' '}
                    <span className="secondary">/ {check.counted.toLocaleString('en')}</span>
                  </td>
                  <td>
                    <svg className="rank" viewBox="0 0 46 6" focusable="false" aria-hidden="true">
                      <rect width={Math.max(3, (check.failing / most) * 46)} height="6" rx="2" />
                    </svg>
                  </td>
                  <td className="numeric secondary" title={undecidedText(check)}>
                    {undecidedOf(check).toLocaleString('en')}
                  </td>
                  <td className="numeric">{percentOf(check)}&thinsp;%</td>
                  <td className="numeric secondary">{changeOf(check.failing, check.failing_a_week_ago)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}

function changeOf(now: number, before: number | null): string {
  if (before === null) return '—'
  if (now === before) return 'same'
  return now > before ? `${(now - before).toLocaleString('en')} more` : `${(before - now).toLocaleString('en')} fewer`
}
