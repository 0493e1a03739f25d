import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import { visibleText } from '../components/visible-text.ts'

/** A part of the reason, and the entry of the audit log or the check that it leads to. */
export type ReasonPart = { readonly text: string; readonly entryId?: string; readonly checkId?: string }

const reported = {
  name: 'Name',
  operating_system: 'Operating system',
  hardware_model: 'Model',
  agent_version: 'Agent',
} as const

/** Why, as far as it is known: issues that changed with it, and what was done; or what the device reports. */
export function reasonsOf(entry: DeviceHistoryEntry): readonly ReasonPart[] {
  const { reasons, changes, kind } = entry
  if (changes.length > 0) {
    const fields = changes.map(
      ({ field, from, to: now }) => `${reported[field]}: ${visibleText(from ?? 'unknown')} → ${visibleText(now)}`,
    )
    return [{ text: fields.join(', ') }]
  }
  const issues = reasons.map(({ what, title }) => `${visibleText(title)} ${what === 'new' ? 'found' : 'resolved'}`)
  const done = kind === 'state' ? doneOf(entry) : []
  if (issues.length > 0) return [{ text: issues.join(', ') }, ...done]
  return kind === 'state' && done.length === 0 ? guessOf(entry) : done
}

/** "Pat set “Disk” to Block immediately"; nothing where it is not known. */
function doneOf({ entries, check }: DeviceHistoryEntry): readonly ReasonPart[] {
  if (entries.length > 0) {
    return entries.map(({ id, description, actor_name: actor, strategy }) => {
      const who = visibleText(actor)
      if (check && strategy !== null) {
        return { text: `${who} set “${visibleText(check.name)}” to ${strategyWords[strategy]}`, entryId: id }
      }
      return { text: `${visibleText(description).replace(/\.$/, '')}, by ${who}`, entryId: id }
    })
  }
  return check ? [{ text: `The check “${visibleText(check.name)}” changed`, checkId: check.id }] : []
}

function guessOf({ initiator, to }: DeviceHistoryEntry): readonly ReasonPart[] {
  if (initiator === 'policy') {
    return [{ text: to === 'blocked' ? 'Grace period ended' : 'Start date of a check reached' }]
  }
  return initiator === 'admin' ? [{ text: 'The audit log has no entry of what caused this' }] : []
}
