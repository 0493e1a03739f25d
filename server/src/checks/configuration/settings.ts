/** The members of a configuration that can be set, as they are stored; `begins_blocking_on` is no member of a request. */
export type Settings = {
  is_paused: boolean
  block_auth_grace_period_days: number
  auth_check_run_shelf_life_seconds: number
  snooze_disallowed: boolean
  exemptions_disallowed: boolean
  targeted_groups: readonly string[]
  excluded_groups: readonly string[]
  blocking_allowed_groups: readonly string[]
  blocking_excluded_groups: readonly string[]
  options: Record<string, unknown>
  remediation_strategy: 'block_immediately' | 'warn_then_block' | 'notify_only' | 'report_only'
  /** The moment before which the check blocks nobody. */
  begins_blocking_on: string | null
}

export type SettingName = keyof Settings
