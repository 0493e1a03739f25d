import type { ConfigurationPreview as Shown } from '@muster/contract/console-checks.ts'
import type { ConfigurationPreview } from '../../checks/configuration/preview-configuration.ts'
import { endOfGrace } from '../../checks/configuration/preview-rules.ts'

type Device = ConfigurationPreview['blocked'][number]['device']
type Strategy = keyof ConfigurationPreview['effects']

const namesOf = ({ id, name, owner_name }: Device) => ({ device_id: id, device_name: name, owner_name })

const describeHeld = ({ takenBack, ...held }: NonNullable<ConfigurationPreview['held']>) => ({
  ...held,
  taken_back: takenBack,
})

/** `groupNames` holds the names of groups by identifier; platforms have their own. */
export function describePreview(
  preview: ConfigurationPreview,
  groupNames: ReadonlyMap<string, string>,
  receivers: Shown['receivers'],
): Shown {
  const { plan, onOnlyDevice } = preview
  const nameOf = (group: string | null) => (group === null ? null : (groupNames.get(group) ?? group))
  const effectOf = (remediation_strategy: Strategy) => {
    const { notified, blockedNow, blockedAtEnd } = preview.effects[remediation_strategy]
    const ends_at = endOfGrace({ ...plan.rules, remediation_strategy }, plan.now)
    return { notified, blocked_now: blockedNow, blocked_at_end: blockedAtEnd, ends_at }
  }
  return {
    computed_at: plan.now,
    ends_at: plan.end,
    token: preview.token,
    changed: [...plan.changed],
    all_devices: preview.allDevices,
    blocked_now: preview.blockedNow,
    blocked_at_end: preview.blockedAtEnd,
    hit: preview.hit,
    held: preview.held && describeHeld(preview.held),
    released: preview.released,
    joined: preview.joined,
    left: preview.left,
    moves: preview.moves,
    people: preview.owners.size,
    people_on_only_device: onOnlyDevice.size,
    receivers,
    effects: {
      report_only: effectOf('report_only'),
      notify_only: effectOf('notify_only'),
      warn_then_block: effectOf('warn_then_block'),
      block_immediately: effectOf('block_immediately'),
    },
    blocked: preview.blocked.map(({ device, forecast }) => ({
      ...namesOf(device),
      today: device.auth_state,
      will_block_at: device.will_block_at,
      after_saving: forecast.afterSaving.auth_state,
      at_end: forecast.atEnd.auth_state,
      blocks_at: forecast.blocksAt ?? plan.end,
      is_only_device: device.registered_owner_id !== null && onOnlyDevice.has(device.registered_owner_id),
    })),
    spared: preview.spared.map(({ device, reason, group }) => ({
      ...namesOf(device),
      reason,
      group_name: nameOf(group),
    })),
    spared_by: [...preview.sparedBy.values()].map(({ reason, group, count }) => ({
      reason,
      group_name: nameOf(group),
      count,
    })),
    undecided: preview.undecided.map(({ device, reason }) => ({ ...namesOf(device), reason })),
    undecided_by: [...preview.undecidedBy].map(([reason, count]) => ({ reason, count })),
  }
}
