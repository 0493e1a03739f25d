import type { DeviceHappening } from '@muster/contract/console-devices.ts'
import { Mark, StandingShape, standingWords } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

const initiators = { policy: 'A rule', admin: 'An administrator', user: 'The device', system: 'Muster' } as const

const reported = {
  name: 'Name',
  operating_system: 'Operating system',
  hardware_model: 'Model',
  agent_version: 'Agent',
} as const

/** "Good → Will Block", or what else happened. */
export const happeningTitle = ({ kind, from, to }: DeviceHappening): string => {
  if (kind === 'registered') return 'Registered'
  if (kind === 'updated') return 'Reported a change'
  if (kind === 'enrolled' || from === null || to === null) return 'Enrolled'
  return `${standingWords[from]} → ${standingWords[to]}`
}

/** Why, as far as issues changed in the same moment; or what the device reports. */
export const reasonOf = ({ reasons, changes, kind, initiator, to }: DeviceHappening): string => {
  if (changes.length > 0) {
    return changes
      .map(({ field, from, to: now }) => `${reported[field]}: ${visibleText(from ?? 'unknown')} → ${visibleText(now)}`)
      .join(', ')
  }
  if (reasons.length > 0) {
    return reasons.map(({ what, title }) => `${visibleText(title)} ${what === 'new' ? 'found' : 'resolved'}`).join(', ')
  }
  if (kind !== 'state') return ''
  if (initiator === 'policy') return to === 'blocked' ? 'A grace period ended' : 'A date of a check has come'
  return initiator === 'admin' ? 'A registration, group or check was changed' : ''
}

export const HappeningShape = ({ happening: { to } }: { happening: DeviceHappening }) =>
  to === null ? <Mark name="dash" /> : <StandingShape standing={to} />

export const Happening = ({ happening }: { happening: DeviceHappening }) => (
  <tr className="tall">
    <td className="c-name">
      <span className="state">
        <HappeningShape happening={happening} />
        {happeningTitle(happening)}
      </span>
      <span className="second ell" title={reasonOf(happening)}>
        {reasonOf(happening)}
      </span>
    </td>
    <td className="t2 c-sub">{happening.initiator === null ? '' : initiators[happening.initiator]}</td>
    <td className="num tn c-time">{fullTime(happening.occurred_at).slice(4, -4)}</td>
  </tr>
)
