import type { AuditView } from '@muster/contract/console-records.ts'
import { Link } from '@tanstack/react-router'
import { ByDay } from '../components/by-day.tsx'
import { clockTime, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { actorWords } from './audit-queries.ts'

/** Sentences as they are stored. */
export const AuditTable = ({ rows }: { rows: readonly AuditView[] }) => (
  <>
    <thead>
      <tr>
        <th className="w-96">Time, UTC</th>
        <th>What was done</th>
        <th className="w-240">By</th>
      </tr>
    </thead>
    <tbody>
      <ByDay rows={rows} timeOf={({ timestamp }) => timestamp} columns={3}>
        {(row) => (
          <tr>
            <td className="tn c-time">
              <Link
                to="/audit/$entryId"
                params={{ entryId: row.id }}
                className="m"
                data-row-link
                title={fullTime(row.timestamp)}
              >
                {clockTime(row.timestamp)}
              </Link>
            </td>
            <td className="wrap c-name audit-sentence">{visibleText(row.description)}</td>
            <td className="c-sub">
              <span className="ell block" title={visibleText(row.actor_name)}>
                {visibleText(row.actor_name)}
              </span>
              <span className="second">{actorWords[row.actor_info.actor_type]}</span>
            </td>
          </tr>
        )}
      </ByDay>
    </tbody>
  </>
)
