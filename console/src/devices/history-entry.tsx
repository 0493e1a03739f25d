import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { Mark, StandingShape, standingWords } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { type ReasonPart, reasonsOf } from './history-reason.ts'

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

/** The reason, each part leading to its entry of the audit log or to the check. */
export const HistoryReason = ({ entry }: { entry: DeviceHistoryEntry }) =>
  reasonsOf(entry).map((part, place) => (
    <Fragment key={part.entryId ?? part.checkId ?? part.text}>
      {place > 0 && ' · '}
      <Part {...part} />
    </Fragment>
  ))

function Part({ text, entryId, checkId }: ReasonPart) {
  if (entryId !== undefined) {
    return (
      <Link className="underlined" to="/audit/$entryId" params={{ entryId }}>
        {text}
      </Link>
    )
  }
  if (checkId === undefined) return text
  return (
    <Link className="underlined" to="/checks/$checkId/history" params={{ checkId }}>
      {text}
    </Link>
  )
}

const byOf = ({ entries: [latest], initiator }: DeviceHistoryEntry): string =>
  latest ? visibleText(latest.actor_name) : initiator === null ? '' : initiators[initiator]

export const HistoryEntryCells = ({ entry }: { entry: DeviceHistoryEntry }) => (
  <tr className="tall">
    <td className="c-name wrap">
      <span className="state">
        <HistoryEntryShape entry={entry} />
        {historyEntryTitle(entry)}
      </span>
      <span className="second">
        <HistoryReason entry={entry} />
      </span>
    </td>
    <td className="secondary c-sub">{byOf(entry)}</td>
    <td className="numeric tabular c-time">{fullTime(entry.occurred_at).slice(4, -4)}</td>
  </tr>
)
