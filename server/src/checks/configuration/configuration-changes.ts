import type { AuditChange } from '@muster/contract/audit-changes.ts'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import type { FieldError } from '@muster/contract/errors.ts'
import { type OptionDefinitions, parseOptions } from '../../compliance/templates/options.ts'
import { isSameValue } from './same-value.ts'
import type { SettingName, Settings } from './settings.ts'

const label: Record<SettingName, string> = {
  is_paused: 'paused',
  block_auth_grace_period_days: 'block_auth_grace_period_days',
  auth_check_run_shelf_life_seconds: 'auth_check_run_shelf_life_seconds',
  snooze_disallowed: 'snooze_disallowed',
  exemptions_disallowed: 'exemptions_disallowed',
  targeted_groups: 'targeted_groups',
  excluded_groups: 'excluded_groups',
  blocking_allowed_groups: 'blocking_allowed_groups',
  blocking_excluded_groups: 'blocking_excluded_groups',
  options: 'options',
  remediation_strategy: 'remediation_strategy',
  begins_blocking_on: 'begins_blocking_on',
}

/** What a request asks for, in stored form; `options` is replaced whole. */
export function wantedSettings(
  request: CheckConfigurationRequest,
  definitions: OptionDefinitions,
): { ok: Partial<Settings> } | { errors: FieldError[] } {
  const { paused, options, ...rest } = request
  const wanted: Partial<Settings> = { ...known(rest) }
  if (paused !== undefined) wanted.is_paused = paused
  if (options === undefined) return { ok: wanted }
  const parsed = parseOptionsText(options, definitions)
  if ('errors' in parsed) return parsed
  return { ok: { ...wanted, options: parsed.ok } }
}

/** Unknown members of the body are ignored; group identifiers may come as integers. */
function known(request: Omit<CheckConfigurationRequest, 'paused' | 'options'>): Partial<Settings> {
  const {
    block_auth_grace_period_days,
    auth_check_run_shelf_life_seconds,
    snooze_disallowed,
    exemptions_disallowed,
    remediation_strategy,
  } = request
  const plain = {
    block_auth_grace_period_days,
    auth_check_run_shelf_life_seconds,
    snooze_disallowed,
    exemptions_disallowed,
    remediation_strategy,
  }
  const groups = Object.fromEntries(
    (['targeted_groups', 'excluded_groups', 'blocking_allowed_groups', 'blocking_excluded_groups'] as const).map(
      (name) => [name, request[name] && [...new Set(request[name].map(String))].sort()],
    ),
  )
  return Object.fromEntries(Object.entries({ ...plain, ...groups }).filter(([, value]) => value !== undefined))
}

function parseOptionsText(options: string | object, definitions: OptionDefinitions) {
  try {
    return parseOptions(definitions, typeof options === 'string' ? JSON.parse(options) : options)
  } catch {
    return { errors: [{ field: 'options', message: 'must be JSON text of an object' }] }
  }
}

/** The settings that differ, in the order of the contract. Group lists are sets; the order of an option's list counts. */
export function changedSettings(before: Settings, wanted: Partial<Settings>): SettingName[] {
  const names = Object.keys(label) as SettingName[]
  return names.filter((name) => wanted[name] !== undefined && !isSameSetting(before[name], wanted[name]))
}

const isSameSetting = (one: unknown, other: unknown): boolean => isSameValue(asSet(one), asSet(other))

const asSet = (setting: unknown): unknown => (Array.isArray(setting) ? [...setting].sort() : setting)

/** For the audit log, by the names of a request. */
export const auditChanges = (before: Settings, after: Settings, names: readonly SettingName[]): AuditChange[] =>
  names.map((name) => ({ field: label[name], from: before[name], to: after[name] }))

const blockingSettings: readonly SettingName[] = [
  'is_paused',
  'block_auth_grace_period_days',
  'blocking_allowed_groups',
  'blocking_excluded_groups',
  'remediation_strategy',
  'begins_blocking_on',
]
const targetingSettings: readonly SettingName[] = ['targeted_groups', 'excluded_groups', 'options']

/** Which devices the changes touch; undefined when none. */
export function scopeOf(names: readonly SettingName[]): 'all_devices' | 'open_issues' | undefined {
  if (names.some((name) => targetingSettings.includes(name))) return 'all_devices'
  return names.some((name) => blockingSettings.includes(name)) ? 'open_issues' : undefined
}

/** Whether what agents are asked to run changes. */
export const changesSchedule = (names: readonly SettingName[]): boolean =>
  names.some((name) => name === 'is_paused' || targetingSettings.includes(name))
