import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { Link } from '@tanstack/react-router'
import { Mark, StandingShape, standingWords } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { reasonOf } from './history-reason.ts'

const initiators = { policy: 'Policy', admin: 'Administrator', user: 'Device', system: 'Muster' } as const

/** "Good → Will Block", or what else happened. */
export const historyEntryTitle = ({ kind, from, to }: DeviceHistoryEntry): string => {
  if (kind === 'registered') return 'Registered'
  if (kind === 'updated') return 'Reported a change'
  if (kind === 'enrolled' || from === null || to === null) return 'Enrolled'
  return `${standingWords[from]} → ${standingWords[to]}`
}

export const HistoryEntryShape = ({ entry: { to } }: { entry: DeviceHistoryEntry }) =>
  to === null ? <Mark name="dash" /> : <StandingShape standing={to} />

/** The reason, leading to the entry of the audit log or to the check. */
export function HistoryReason({ entry: line }: { entry: DeviceHistoryEntry }) {
  const words = reasonOf(line)
  if (line.entry) {
    return (
      <Link className="underlined" to="/audit/$entryId" params={{ entryId: line.entry.id }}>
        {words}
      </Link>
    )
  }
  if (!line.check) return words
  return (
    <Link className="underlined" to="/checks/$checkId/history" params={{ checkId: line.check.id }}>
      {words}
    </Link>
  )
}

const byOf = ({ entry, initiator }: DeviceHistoryEntry): string =>
  entry ? visibleText(entry.actor_name) : initiator === null ? '' : initiators[initiator]

export const HistoryEntryCells = ({ entry }: { entry: DeviceHistoryEntry }) => (
  <tr className="tall">
    <td className="c-name">
      <span className="state">
        <HistoryEntryShape entry={entry} />
        {historyEntryTitle(entry)}
      </span>
      <span className="second ellipsis" title={reasonOf(entry)}>
        <HistoryReason entry={entry} />
      </span>
    </td>
    <td className="secondary c-sub">{byOf(entry)}</td>
    <td className="numeric tabular c-time">{fullTime(entry.occurred_at).slice(4, -4)}</td>
  </tr>
)
