import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { visibleText } from '../components/visible-text.ts'

const reported = {
  name: 'Name',
  operating_system: 'Operating system',
  hardware_model: 'Model',
  agent_version: 'Agent',
} as const

/** Why, as far as it is known: issues that changed with it, and what was done; or what the device reports. */
export const reasonOf = (entry: DeviceHistoryEntry): string => {
  const { reasons, changes, kind } = entry
  if (changes.length > 0) {
    return changes
      .map(({ field, from, to: now }) => `${reported[field]}: ${visibleText(from ?? 'unknown')} → ${visibleText(now)}`)
      .join(', ')
  }
  const issues = reasons.map(({ what, title }) => `${visibleText(title)} ${what === 'new' ? 'found' : 'resolved'}`)
  const done = kind === 'state' ? doneOf(entry) : ''
  if (issues.length === 0) return kind === 'state' ? done || guessOf(entry) : ''
  return [issues.join(', '), done].filter(Boolean).join(' · ')
}

/** "Updated the configuration of the check "Disk": paused, by Pat"; blank where it is not known. */
function doneOf({ entry, check }: DeviceHistoryEntry): string {
  if (entry) return `${visibleText(entry.description).replace(/\.$/, '')}, by ${visibleText(entry.actor_name)}`
  return check ? `The check "${visibleText(check.name)}" changed` : ''
}

function guessOf({ initiator, to }: DeviceHistoryEntry): string {
  if (initiator === 'policy') return to === 'blocked' ? 'Grace period ended' : 'Start date of a check reached'
  return initiator === 'admin' ? 'Registration, group or check changed' : ''
}
