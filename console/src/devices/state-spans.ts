import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import type { Device } from '@muster/contract/devices.ts'

type State = 'blocked' | 'will_block' | 'notified' | 'good'
type StateSpan = { readonly state: State; readonly from: number; readonly to: number }

const stored: Readonly<Record<Device['auth_state'], State>> = {
  Blocked: 'blocked',
  'Will Block': 'will_block',
  Notified: 'notified',
  Good: 'good',
}

/**
 * How a device stood between two moments, told backwards from how it stands now. `historyEntries` are newest first; nothing
 * is known of the time before it was enrolled.
 */
export function stateSpans(
  now: Device['auth_state'],
  historyEntries: readonly DeviceHistoryEntry[],
  begin: number,
  end: number,
): readonly StateSpan[] {
  const spans: StateSpan[] = []
  let state = stored[now]
  let to = end
  for (const entry of historyEntries) {
    const at = Date.parse(entry.occurred_at)
    if (at <= begin) break
    if (entry.kind === 'registered' || entry.kind === 'updated') continue
    if (at < to) spans.unshift({ state, from: at, to })
    if (entry.kind === 'enrolled' || entry.from === null) return spans
    state = entry.from
    to = Math.min(at, to)
  }
  if (begin < to) spans.unshift({ state, from: begin, to })
  return spans
}
