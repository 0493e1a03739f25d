import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { Mark, StandingShape, standingWords } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

const initiators = { policy: 'Policy', admin: 'Administrator', user: 'Device', system: 'Muster' } as const

const reported = {
  name: 'Name',
  operating_system: 'Operating system',
  hardware_model: 'Model',
  agent_version: 'Agent',
} as const

/** "Good → Will Block", or what else happened. */
export const historyEntryTitle = ({ kind, from, to }: DeviceHistoryEntry): string => {
  if (kind === 'registered') return 'Registered'
  if (kind === 'updated') return 'Reported a change'
  if (kind === 'enrolled' || from === null || to === null) return 'Enrolled'
  return `${standingWords[from]} → ${standingWords[to]}`
}

/** Why, as far as issues changed in the same moment; or what the device reports. */
export const reasonOf = ({ reasons, changes, kind, initiator, to }: DeviceHistoryEntry): string => {
  if (changes.length > 0) {
    return changes
      .map(({ field, from, to: now }) => `${reported[field]}: ${visibleText(from ?? 'unknown')} → ${visibleText(now)}`)
      .join(', ')
  }
  if (reasons.length > 0) {
    return reasons.map(({ what, title }) => `${visibleText(title)} ${what === 'new' ? 'found' : 'resolved'}`).join(', ')
  }
  if (kind !== 'state') return ''
  if (initiator === 'policy') return to === 'blocked' ? 'Grace period ended' : 'Start date of a check reached'
  return initiator === 'admin' ? 'Registration, group or check changed' : ''
}

export const HistoryEntryShape = ({ entry: { to } }: { entry: DeviceHistoryEntry }) =>
  to === null ? <Mark name="dash" /> : <StandingShape standing={to} />

export const HistoryEntryCells = ({ entry }: { entry: DeviceHistoryEntry }) => (
  <tr className="tall">
    <td className="c-name">
      <span className="state">
        <HistoryEntryShape entry={entry} />
        {historyEntryTitle(entry)}
      </span>
      <span className="second ellipsis" title={reasonOf(entry)}>
        {reasonOf(entry)}
      </span>
    </td>
    <td className="secondary c-sub">{entry.initiator === null ? '' : initiators[entry.initiator]}</td>
    <td className="numeric tabular c-time">{fullTime(entry.occurred_at).slice(4, -4)}</td>
  </tr>
)
