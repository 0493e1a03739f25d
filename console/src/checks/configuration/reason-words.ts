import type { ConfigurationPreview } from '@muster/contract/console-checks.ts'
import { visibleText } from '../../components/visible-text.ts'

type Spared = Pick<ConfigurationPreview['spared_by'][number], 'reason' | 'group_name'>

const reasons: Readonly<Record<Spared['reason'], string>> = {
  exempted: 'exempted',
  excluded_group: 'in a group that is never blocked',
  outside_groups: 'in no group that it blocks in',
  unregistered: 'not registered',
  snoozed: 'snoozed until later',
  held: 'held or discarded with other blocks',
}

/** "exempted", "in “Executives”". */
export const sparedWords = ({ reason, group_name: group }: Spared): string =>
  group === null ? reasons[reason] : `in “${visibleText(group)}”`

export const undecidedWords: Readonly<Record<ConfigurationPreview['undecided_by'][number]['reason'], string>> = {
  unknown: 'unknown results',
  errored: 'errored results',
  pending: 'not checked yet',
  stale: 'stale results',
  new_target: 'not checked until now',
}
