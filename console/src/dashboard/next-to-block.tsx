import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../components/relative-time.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

export function NextToBlock({ rows }: { rows: ConsoleSummary['next_to_block'] }) {
  return (
    <section aria-labelledby="next-to-block">
      <div className="section-head">
        <h2 id="next-to-block">Blocked or about to be</h2>
        <Link className="underlined small" to="/devices" search={{ view: 'attention' }}>
          All
        </Link>
      </div>
      {rows.length === 0 && <p className="secondary">No devices are blocked or scheduled to be.</p>}
      <ul className="lines">
        {rows.map((row) => (
          <li key={row.device_id} className="line">
            <span className="line-state">
              <StateCell standing={row.standing} />
            </span>
            <span className="grow">
              <span className="next-names">
                <Link
                  to="/devices/$deviceId"
                  params={{ deviceId: row.device_id }}
                  className="medium ellipsis"
                  title={visibleText(row.owner_name ?? row.device_name)}
                  data-row-link
                >
                  {visibleText(row.owner_name ?? row.device_name)}
                </Link>
                {row.owner_name !== null && (
                  <span className="secondary ellipsis next-device" title={visibleText(row.device_name)}>
                    {visibleText(row.device_name)}
                  </span>
                )}
              </span>
              <span className="small secondary ellipsis block">
                {row.issue_id !== null && (
                  <Link to="/issues/$issueId" params={{ issueId: row.issue_id }}>
                    {visibleText(row.issue_title ?? '')}
                  </Link>
                )}
              </span>
            </span>
            <span className="tabular next-time">
              <RelativeTime time={row.blocks_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
