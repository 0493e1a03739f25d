import type { AuditView } from '@muster/contract/console-records.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Column, Records } from '../components/records.tsx'
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
  <Records
    rows={rows}
    columns={verb ? [...columns, { ...verbColumn, cell: (row) => verb(row, rows.indexOf(row)) }] : columns}
    timeOf={({ timestamp }) => timestamp}
  />
)

const columns: readonly Column<AuditView>[] = [
  {
    text: 'Time, UTC',
    head: 'w-96',
    className: 'tabular c-time',
    cell: ({ id, timestamp }) => (
      <Link to="/audit/$entryId" params={{ entryId: id }} className="medium" data-row-link title={fullTime(timestamp)}>
        {clockTime(timestamp)}
      </Link>
    ),
  },
  {
    text: 'What was done',
    className: 'wrap c-name audit-sentence',
    cell: ({ description }) => visibleText(description),
  },
  {
    text: 'By',
    head: 'w-240',
    className: 'c-sub',
    cell: ({ actor_name: name, actor_info: actor }) => (
      <>
        <span className="ellipsis block" title={visibleText(name)}>
          {visibleText(name)}
        </span>
        <span className="second">{actorWords[actor.actor_type]}</span>
      </>
    ),
  },
]

const verbColumn = { text: 'Actions', isUntitled: true, head: 'w-120', className: 'c-act' }
