import { strategyWords } from '@muster/contract/strategy-words.ts'
import { isSameValue } from './same-value.ts'
import type { SettingName, Settings } from './settings.ts'

/** Names of platforms and device groups, by what a configuration calls them. */
type GroupNames = ReadonlyMap<string, string>
type Describe<Value> = (from: Value, to: Value, names: GroupNames) => string
type Groups = readonly string[]

const changed = (what: string, from: string, to: string): string => `${what} changed from ${from} to ${to}`

const permission =
  (what: string): Describe<boolean> =>
  (_from, isDisallowed) =>
    `${what} ${isDisallowed ? 'no longer' : 'now'} allowed`

/** Of a list that means every device while it is empty. */
const only =
  (what: string): Describe<Groups> =>
  (from, to, names) =>
    `now ${what} ${scopeInWords(to, names)}, before: ${scopeInWords(from, names)}`

const scopeInWords = (groups: Groups, names: GroupNames): string =>
  groups.length === 0 ? 'on every device' : `only on ${inWords(groups, names)}`

/** Of a list of exceptions: what came to it, and what left it. */
const except =
  (added: string, removed: string): Describe<Groups> =>
  (from, to, names) =>
    [
      { words: added, groups: to.filter((group) => !from.includes(group)) },
      { words: removed, groups: from.filter((group) => !to.includes(group)) },
    ]
      .filter(({ groups }) => groups.length > 0)
      .map(({ words, groups }) => `${words} ${inWords(groups, names)}`)
      .join('; ')

const inWords = (groups: Groups, names: GroupNames): string => groups.map((group) => nameOf(group, names)).join(', ')

function nameOf(group: string, names: GroupNames): string {
  const name = names.get(group)
  if (name === undefined) return `group ${group}`
  return /^\d/.test(group) ? `"${name}"` : name
}

const shown = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value))

function options(from: Settings['options'], to: Settings['options']): string {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  return names
    .filter((name) => !isSameValue(from[name], to[name]))
    .map((name) => changed(`option "${name}"`, shown(from[name]), shown(to[name])))
    .join('; ')
}

const describe: { readonly [Name in SettingName]: Describe<Settings[Name]> } = {
  is_paused: (_from, isPaused) => (isPaused ? 'paused' : 'resumed'),
  block_auth_grace_period_days: (from, to) => changed('grace period', String(from), `${to} days`),
  auth_check_run_shelf_life_seconds: (from, to) =>
    changed('maximum age of results at sign-in', String(from), `${to} seconds`),
  snooze_disallowed: permission('snoozing'),
  exemptions_disallowed: permission('exemption requests'),
  targeted_groups: only('runs'),
  excluded_groups: except('no longer runs on', 'runs again on'),
  blocking_allowed_groups: only('may block'),
  blocking_excluded_groups: except('never blocks on', 'may block again on'),
  options,
  remediation_strategy: (from, to) => changed('strategy', `"${strategyWords[from]}"`, `"${strategyWords[to]}"`),
  begins_blocking_on: (from, to) => changed('start of blocking', from ?? 'no date', to ?? 'no date'),
}

/**
 * One clause for each setting: `grace period changed from 7 to 3 days; no longer runs on "Laptops"`. Groups have the names
 * that they have at that moment.
 */
export const describeChanges = (
  before: Settings,
  after: Settings,
  settings: readonly SettingName[],
  names: GroupNames,
): string => settings.map((setting) => clause(setting, before, after, names)).join('; ')

const clause = <Name extends SettingName>(name: Name, before: Settings, after: Settings, names: GroupNames): string =>
  describe[name](before[name], after[name], names)

/** The groups and platforms that the settings name. */
export const groupsIn = ({
  targeted_groups,
  excluded_groups,
  blocking_allowed_groups,
  blocking_excluded_groups,
}: Settings): Groups => [
  ...targeted_groups,
  ...excluded_groups,
  ...blocking_allowed_groups,
  ...blocking_excluded_groups,
]
