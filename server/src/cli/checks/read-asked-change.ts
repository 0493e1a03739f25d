import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { SettingName } from '../../checks/configuration/settings.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { findDeviceGroups } from './find-device-groups.ts'

/** Each strategy as it is typed. */
export const strategyFlags = {
  'report-only': 'report_only',
  'notify-only': 'notify_only',
  'warn-then-block': 'warn_then_block',
  'block-immediately': 'block_immediately',
} as const

/** `empty` is typed for an empty list, which means every device in some lists and no device in others. */
export const groupFlags = {
  checkedOn: { flag: '--checked-on', member: 'targeted_groups', empty: 'all' },
  notCheckedOn: { flag: '--not-checked-on', member: 'excluded_groups', empty: 'none' },
  blocksIn: { flag: '--blocks-in', member: 'blocking_allowed_groups', empty: 'all' },
  neverBlocksIn: { flag: '--never-blocks-in', member: 'blocking_excluded_groups', empty: 'none' },
} as const satisfies Record<string, { flag: string; member: SettingName; empty: string }>

type GroupFlag = keyof typeof groupFlags
const groupFlagNames = Object.keys(groupFlags) as GroupFlag[]

export type AskedConfiguration = {
  strategy?: keyof typeof strategyFlags
  graceDays?: number
  pause?: boolean
  unpause?: boolean
} & { [Name in GroupFlag]?: string[] }

/** Whether any change is asked for. */
export const asksForChange = ({ strategy, graceDays, pause, unpause, ...lists }: AskedConfiguration): boolean =>
  [strategy, graceDays, pause, unpause, ...groupFlagNames.map((name) => lists[name])].some(
    (value) => value !== undefined,
  )

/** The request of what is typed. Fails with a CommandError that names a group that does not exist. */
export async function readAskedChange(
  reader: Reader,
  organizationId: string,
  asked: AskedConfiguration,
): Promise<CheckConfigurationRequest> {
  const { strategy, graceDays, pause, unpause } = asked
  const request: CheckConfigurationRequest = {
    ...(strategy !== undefined && { remediation_strategy: strategyFlags[strategy] }),
    ...(graceDays !== undefined && { block_auth_grace_period_days: graceDays }),
    ...((pause || unpause) && { paused: pause === true }),
  }
  for (const name of groupFlagNames) {
    const typed = asked[name]
    if (typed === undefined) continue
    request[groupFlags[name].member] = await readGroups(reader, organizationId, name, typed)
  }
  return request
}

async function readGroups(
  reader: Reader,
  organizationId: string,
  name: GroupFlag,
  typed: readonly string[],
): Promise<string[]> {
  const { flag, empty } = groupFlags[name]
  if (!typed.includes('all') && !typed.includes('none')) return findDeviceGroups(reader, organizationId, typed)
  if (typed.length === 1 && typed[0] === empty) return []
  throw new CommandError(exitCodes.usage, `${flag} takes groups and platforms, or ${empty} alone`)
}
