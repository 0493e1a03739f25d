import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../components/relative-time.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

export function NextToBlock({ rows }: { rows: ConsoleSummary['next_to_block'] }) {
  return (
    <section aria-labelledby="next-to-block">
      <div className="sech">
        <h2 id="next-to-block">Blocked, or next to be</h2>
        <Link className="u sm" to="/devices" search={{ view: 'attention' }}>
          All
        </Link>
      </div>
      {rows.length === 0 && <p className="t2">No device is blocked, and none will be.</p>}
      <ul className="lines">
        {rows.map((row) => (
          <li key={row.device_id} className="line">
            <span className="line-state">
              <StateCell standing={row.standing} />
            </span>
            <span className="grow">
              <span className="ell block">
                <Link to="/devices/$deviceId" params={{ deviceId: row.device_id }} className="m" data-row-link>
                  {visibleText(row.owner_name ?? row.device_name)}
                </Link>
                {row.owner_name !== null && <span className="t2"> · {visibleText(row.device_name)}</span>}
              </span>
              <span className="sm t2 ell block">{visibleText(row.issue_title ?? '')}</span>
            </span>
            <span className="tn">
              <RelativeTime time={row.blocks_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
