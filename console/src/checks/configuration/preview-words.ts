import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { strategyWords } from '@muster/contract/strategy-words.ts'
import { isConnected } from '../../components/block-effect.tsx'
import { dayOf, deadlineOf } from '../../components/times.ts'
import { visibleText } from '../../components/visible-text.ts'
import { devices, people } from '../check-words.ts'
import type { Draft } from './draft.ts'

const isLater = (preview: ConfigurationPreview): boolean => preview.ends_at > preview.computed_at

/** What the button says: the effect, with its number. */
export function verbOf(preview: ConfigurationPreview | undefined, draft: Draft, changes: number): string {
  const plain = changes === 1 ? 'Save 1 change' : `Save ${changes} changes`
  if (!preview) return plain
  const now = Date.parse(preview.computed_at)
  if (preview.held) return `Save, and hold the blocks of ${devices(preview.held.devices)}`
  if (preview.hit > 0) {
    return isLater(preview)
      ? `Warn ${devices(preview.hit)}, block from ${dayOf(preview.ends_at, now)}`
      : `Block ${devices(preview.hit)} now`
  }
  if (preview.released > 0) return `Release ${devices(preview.released)}`
  if (preview.changed.includes('paused') || preview.changed.includes('is_paused')) {
    return draft.paused ? 'Pause the check' : 'Resume the check'
  }
  if (preview.changed.includes('remediation_strategy') && draft.strategy === 'notify_only') {
    return `Notify the owners of ${devices(preview.effects.notify_only.notified)}`
  }
  return plain
}

/** What follows for whoever is hit: one line each. */
export function consequencesOf(preview: ConfigurationPreview): string[] {
  const now = Date.parse(preview.computed_at)
  const names = preview.blocked
    .slice(0, 3)
    .map(({ owner_name: owner, device_name: device }) => visibleText(owner === null ? device : `${owner} (${device})`))
  const others = preview.blocked_at_end - names.length
  const who = others > 0 ? `${names.join(', ')} and ${others.toLocaleString('en')} more` : names.join(', ')
  const when = isLater(preview) ? `from ${deadlineOf(preview.ends_at, now)} UTC at the latest` : 'immediately'
  const only = preview.people_on_only_device
  if (preview.held) return [heldOf(preview.held), takenBackOf(preview.held)]
  return [
    `Blocked ${when}, unless the failure is fixed: ${who}.`,
    ...effectOf(preview),
    ...(only > 0 ? [`${people(only)} ${only === 1 ? 'has' : 'have'} no other device.`] : []),
    ...(preview.undecided.length > 0 ? ['A device without a result that fails later gets its own grace period.'] : []),
  ]
}

type Held = NonNullable<ConfigurationPreview['held']>

/** What would be held, and why. */
export const heldOf = ({ devices: count, people: owners, limit }: Held): string =>
  `${devices(count)} of ${people(owners)} would be blocked without notice, and one check may block the devices of ${people(limit)} within an hour. They keep their state until you release or discard these blocks on the page of the check.`

/** What streams and webhooks hear of a hold. */
export const takenBackOf = ({ taken_back: count }: Held): string =>
  count === 0
    ? 'Nothing is signaled about them.'
    : `The blocks of ${devices(count)} within the last hour are taken back, and receivers are told.`

/** What a block reaches, as far as whoever saves has to know. */
function effectOf({ receivers }: ConfigurationPreview): string[] {
  if (!isConnected(receivers)) return ['Nothing is connected: sign-in is not affected yet.']
  return receivers.connections > 0 ? ['Their owners cannot sign in with them through Muster.'] : []
}

export function staysOf(preview: ConfigurationPreview): string {
  if (!isLater(preview) || preview.blocked_now > 0) return 'Results and issues stay. You can undo the change.'
  const day = dayOf(preview.ends_at, Date.parse(preview.computed_at))
  return `Results and issues stay. You can undo this until ${day} without blocking anyone.`
}

const names: Readonly<Record<string, string>> = {
  is_paused: 'pause',
  block_auth_grace_period_days: 'grace period',
  auth_check_run_shelf_life_seconds: 'age of results',
  snooze_disallowed: 'snoozing',
  exemptions_disallowed: 'asking for exemptions',
  targeted_groups: 'checked on',
  excluded_groups: 'not checked on',
  blocking_allowed_groups: 'blocks in',
  blocking_excluded_groups: 'never blocks in',
  options: 'options',
  begins_blocking_on: 'not before',
}

/** "1 change: Notify only → Warn, then block". */
export function changesInWords(changed: readonly string[], saved: Draft, draft: Draft): string {
  const words = changed.map((name) =>
    name === 'remediation_strategy'
      ? `${strategyWords[saved.strategy]} → ${strategyWords[draft.strategy]}`
      : (names[name] ?? name),
  )
  return `${changed.length === 1 ? '1 change' : `${changed.length} changes`}: ${words.join(', ')}`
}

/** What follows, in a line beside the button. */
export function consequenceOf(preview: ConfigurationPreview): string {
  if (preview.held) return `Nobody${preview.blocked_now > 0 ? ' else' : ''} is blocked until you release the blocks.`
  if (preview.hit > 0 && isLater(preview)) {
    const day = dayOf(preview.ends_at, Date.parse(preview.computed_at))
    return preview.blocked_now === 0
      ? `Nobody is blocked before ${day}. You can undo this until ${day} without blocking anyone.`
      : `${devices(preview.blocked_now)} ${preview.blocked_now === 1 ? 'is' : 'are'} blocked immediately; the others by ${day}.`
  }
  if (preview.hit > 0) return `${devices(preview.hit)} ${preview.hit === 1 ? 'is' : 'are'} blocked immediately.`
  if (preview.left > 0) return `The check stops running on ${devices(preview.left)}; its issues there are resolved.`
  if (preview.released > 0) return 'They are released within a minute.'
  if (preview.changed.includes('options')) return 'Results become stale until devices run the check again.'
  return 'This blocks nobody.'
}
