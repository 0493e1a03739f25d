import type { BlockReceivers } from '@muster/contract/block-receivers.ts'
import type { ConfigurationPreview } from '../../checks/configuration/preview-configuration.ts'
import { isBlocking } from '../../inventory/devices/rules.ts'
import { alignFields, plainText } from '../table.ts'

/** How many devices a preview names. */
export const mostNamed = 10

const countDevices = (count: number): string => (count === 1 ? '1 device' : `${count} devices`)
const countPeople = (count: number): string => (count === 1 ? '1 person' : `${count} people`)

const isLater = ({ plan }: ConfigurationPreview): boolean => plan.end > plan.now

/** What saving a configuration would do, as the console says it: how many devices, which, and what it reaches. */
export function previewLines(preview: ConfigurationPreview, receivers: BlockReceivers): string[] {
  const { held, joined, left, plan } = preview
  const fields = fieldsOf(preview)
  const blocks = preview.hit > 0 || held !== null
  return [
    ...(fields.length === 0 ? [] : alignFields(fields)),
    ...(preview.hit > 0 ? namesOf(preview) : []),
    ...(held ? heldWords(held) : []),
    ...(blocks ? receiverWords(receivers) : ['This blocks no other device.']),
    ...(joined > 0 ? [`The check starts to run on ${countDevices(joined)}.`] : []),
    ...(left > 0 ? [`The check stops running on ${countDevices(left)}; its issues there are resolved.`] : []),
    ...(plan.rules.paused_at !== null ? ['The check is paused: it does not run and blocks nobody.'] : []),
  ]
}

function fieldsOf(preview: ConfigurationPreview) {
  const { plan, held, moves, owners, onOnlyDevice } = preview
  const blocks = isBlocking(plan.rules) && plan.rules.paused_at === null
  const sum = (rows: Iterable<number>) => [...rows].reduce((total, count) => total + count, 0)
  const spared = [...preview.sparedBy.values()].filter(({ reason }) => reason !== 'held').map(({ count }) => count)
  const only = onOnlyDevice.size === 0 ? '' : `, ${onOnlyDevice.size} of them on their only device`
  const counts: readonly (readonly [name: string, count: number, more?: string])[] = [
    ['Newly blocked, or sooner', preview.hit],
    ['Blocked at once', preview.blockedNow, isLater(preview) ? '' : ` of ${countPeople(owners.size)}${only}`],
    ['Blocked after the grace period', isLater(preview) ? preview.blockedAtEnd : 0, afterGrace(preview, only)],
    ['Held', held?.devices ?? 0, ` of ${countPeople(held?.people ?? 0)}`],
    ['No longer blocked', preview.released],
    ['Become Notified', moves.notified],
    ['Become Will Block', moves.will_block],
    ['Never blocked', blocks ? sum(spared) : 0],
    ['No result yet', blocks ? sum(preview.undecidedBy.values()) : 0],
  ]
  return counts
    .filter(([, count]) => count > 0)
    .map(([name, count, more = '']) => [name, `${countDevices(count)}${more}`] as const)
}

const afterGrace = ({ plan, owners }: ConfigurationPreview, only: string): string =>
  ` of ${countPeople(owners.size)}${only}, at ${plan.end} at the latest, if nobody fixes them`

function namesOf({ blocked, blockedAtEnd }: ConfigurationPreview): string[] {
  const names = blocked.slice(0, mostNamed).map(({ device: { name, owner_name: owner, auth_state: today } }) => {
    const text = plainText(owner === null ? name : `${owner} (${name})`)
    return `  ${text}${today === 'blocked' ? ', already blocked' : ''}`
  })
  const others = blockedAtEnd - names.length
  return others > 0 ? [...names, `  and ${others} more`] : names
}

/** What would be held, and why. */
const heldWords = ({ devices, people, limit, takenBack }: NonNullable<ConfigurationPreview['held']>): string[] => [
  `${countDevices(devices)} of ${countPeople(people)} would be blocked without notice, and one check may block the devices of`,
  `${countPeople(limit)} within an hour. They keep their state until someone releases or discards these blocks.`,
  takenBack === 0
    ? 'Nothing is signaled about them.'
    : `The blocks of ${countDevices(takenBack)} within the last hour are taken back, and receivers are told.`,
]

/** What a block reaches. */
function receiverWords({ connections, streams, webhooks, failing }: BlockReceivers): string[] {
  if (connections + streams + webhooks === 0) return ['Nothing is connected: sign-in is not affected yet.']
  const listeners = [countOf(streams, 'stream'), countOf(webhooks, 'webhook')].flatMap((text) => text ?? [])
  const heard = `${listeners.join(' and ')}${failing === 0 ? '' : ` (${failing} failing)`}`
  return [
    ...(connections === 0
      ? []
      : [
          `${countOf(connections, 'sign-in connection')} ${connections === 1 ? 'refuses' : 'refuse'} each blocked device.`,
        ]),
    ...(listeners.length === 0 ? [] : [`${heard} will hear of each device.`]),
  ]
}

const countOf = (count: number, one: string): string | undefined =>
  count === 0 ? undefined : `${count} ${one}${count === 1 ? '' : 's'}`

/** What is coming of a save. */
export function savedWords(preview: ConfigurationPreview): string[] {
  const { hit, held, released, plan } = preview
  const when = isLater(preview) ? `by ${plan.end}, if nobody fixes them` : 'in the background'
  const words = [
    ...(hit === 0 ? [] : [`${countDevices(hit)} will be blocked ${when}.`]),
    ...(held === null ? [] : [`The blocks of ${countDevices(held.devices)} are held: muster checks holds list`]),
    ...(released === 0 ? [] : [`${countDevices(released)} will be released in the background.`]),
  ]
  return words.length === 0 ? ['Saved.'] : ['Saved.', ...words]
}
