import type { SettingName, Settings } from '../../checks/configuration/settings.ts'
import { organizationWords, quoted } from '../connections/organization-words.ts'
import { groupFlags } from './read-asked-change.ts'

type Wording = {
  slug: string
  settings: Settings
  names: readonly SettingName[]
  /** What was said to choose the organization. */
  named: string | undefined
  blocking?: number
}

/** A command that can be pasted and sets what is named to what it is in `settings`. */
export const configureWords = ({ slug, settings, names, named, blocking }: Wording): string =>
  [
    `muster checks configure ${quoted(slug)}`,
    ...names.flatMap((name) => wordsFor(name, settings) ?? []),
    ...(blocking === undefined ? [] : [`--blocking ${blocking}`]),
  ].join(' ') + organizationWords(named)

/** Groups stand by their identifiers, since their names change. */
function wordsFor(name: SettingName, settings: Settings): string | undefined {
  if (name === 'remediation_strategy') return `--strategy ${settings.remediation_strategy.replaceAll('_', '-')}`
  if (name === 'block_auth_grace_period_days') return `--grace-days ${settings.block_auth_grace_period_days}`
  if (name === 'is_paused') return settings.is_paused ? '--pause' : '--unpause'
  const list = Object.values(groupFlags).find(({ member }) => member === name)
  if (!list) return undefined
  const groups = settings[list.member]
  return `${list.flag} ${groups.length === 0 ? list.empty : groups.join(' ')}`
}
