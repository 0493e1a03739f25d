import { strategyWords } from '@muster/contract/strategy-words.ts'
import { isSameValue } from './same-value.ts'
import type { SettingName, Settings } from './settings.ts'

type Describe<Value> = (from: Value, to: Value) => string

const platforms: Readonly<Record<string, string>> = { macos: 'macOS', windows: 'Windows', linux: 'Linux' }

const fromTo = (what: string, from: string, to: string): string => `${what} from ${from} to ${to}`

const permission =
  (what: string): Describe<boolean> =>
  (_from, isDisallowed) =>
    isDisallowed ? fromTo(what, 'allowed', 'not allowed') : fromTo(what, 'not allowed', 'allowed')

/** `none`: what an empty list means. Groups are named by their identifiers, since their names change. */
const groups =
  (what: string, none: string): Describe<readonly string[]> =>
  (from, to) =>
    fromTo(what, groupsInWords(from, none), groupsInWords(to, none))

const groupsInWords = (list: readonly string[], none: string): string =>
  list.length === 0 ? none : list.map((group) => platforms[group] ?? `group ${group}`).join(', ')

const shown = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value))

function options(from: Settings['options'], to: Settings['options']): string {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  return names
    .filter((name) => !isSameValue(from[name], to[name]))
    .map((name) => fromTo(`the option "${name}"`, shown(from[name]), shown(to[name])))
    .join('; ')
}

const describe: { readonly [Name in SettingName]: Describe<Settings[Name]> } = {
  is_paused: (_from, isPaused) => (isPaused ? 'paused' : 'resumed'),
  block_auth_grace_period_days: (from, to) => fromTo('the grace period', String(from), `${to} days`),
  auth_check_run_shelf_life_seconds: (from, to) =>
    fromTo('the age of results at sign-in', String(from), `${to} seconds`),
  snooze_disallowed: permission('snoozing'),
  exemptions_disallowed: permission('exemption requests'),
  targeted_groups: groups('where it runs', 'every device'),
  excluded_groups: groups('where it does not run', 'nowhere'),
  blocking_allowed_groups: groups('where it may block', 'every device'),
  blocking_excluded_groups: groups('where it never blocks', 'nowhere'),
  options,
  remediation_strategy: (from, to) => fromTo('the strategy', `"${strategyWords[from]}"`, `"${strategyWords[to]}"`),
  begins_blocking_on: (from, to) => fromTo('when it begins to block', from ?? 'no date', to ?? 'no date'),
}

/** One clause for each setting, in the words of the console: `the grace period from 7 to 3 days; snoozing from …`. */
export const describeChanges = (before: Settings, after: Settings, names: readonly SettingName[]): string =>
  names.map((name) => clause(name, before, after)).join('; ')

const clause = <Name extends SettingName>(name: Name, before: Settings, after: Settings): string =>
  describe[name](before[name], after[name])
