import type { AuditView } from '@muster/contract/console-records.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ByDay } from '../components/by-day.tsx'
import { clockTime, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { actorWords } from './audit-queries.ts'

type Parts = {
  readonly rows: readonly AuditView[]
  /** What can be done with an entry, beside who made it. */
  readonly verb?: (row: AuditView, place: number) => ReactNode
}

/** Sentences as they are stored. */
export const AuditTable = ({ rows, verb }: Parts) => (
  <>
    <thead>
      <tr>
        <th className="w-96">Time, UTC</th>
        <th>What was done</th>
        <th className="w-240">By</th>
        {verb && (
          <th className="w-120">
            <span className="hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
    <tbody>
      <ByDay rows={rows} timeOf={({ timestamp }) => timestamp} columns={verb ? 4 : 3}>
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
            {verb && <td className="c-act">{verb(row, rows.indexOf(row))}</td>}
          </tr>
        )}
      </ByDay>
    </tbody>
  </>
)
