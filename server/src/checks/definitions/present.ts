import type { CheckConfiguration } from '@muster/contract/check-configurations.ts'
import type { CheckRefresh } from '@muster/contract/check-refreshes.ts'
import type { CheckResult } from '@muster/contract/check-results.ts'
import type { Check } from '@muster/contract/checks.ts'
import type { ResultRow } from '../../compliance/results/result-queries.ts'
import { percentPassing, statusColumn } from '../../compliance/standing/rules.ts'
import { isBlocking } from '../../inventory/devices/rules.ts'
import type { CheckRecord, ConfigurationRow } from '../configuration/queries.ts'

const platforms = ['darwin', 'windows', 'linux'] as const

export function presentCheck(row: CheckRecord): Check {
  const nameOf = (group: string) => row.group_names[group] ?? group
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    compatible_platforms: platforms.filter((platform) => row.platforms.includes(platform)),
    description: row.description,
    topics: row.topics,
    osquery_sql_template: row.sql_template,
    issue_title: row.issue_title,
    fix_instructions_template: row.fix_instructions_template,
    rationale_template: row.rationale_template,
    check_tags: row.tags,
    blocks_auth_configuration: {
      blocking_enabled: isBlocking(row),
      grace_period_days: row.block_auth_grace_period_days,
      blocking_group_names: row.blocking_allowed_groups.map(nameOf),
      blocking_exempt_group_names: row.blocking_excluded_groups.map(nameOf),
    },
    targeting_configuration: { excluded_groups: row.excluded_groups, targeted_groups: row.targeted_groups },
    percent_passing: percentPassing(row.passing ?? 0, row.counted ?? 0),
    kolide_provided: row.is_provided,
    type: row.type,
  }
}

export const presentCheckResult = (row: ResultRow): CheckResult => ({
  check_id: row.check_id,
  check_slug: row.slug,
  check_name: row.check_name,
  device_id: row.device_id,
  device_display_name: row.device_name,
  ran_at: row.ran_at,
  exemption_reason: row.exemption_reason,
  exemption_expires_at: row.exemption_expires_at,
  check_result_data: row.rows.length === 0 && row.error_message !== null ? [reasonRow(row)] : row.rows,
  status: row.status,
})

/** A run that gave no rows still has something to say: why. */
const reasonRow = ({ status, error_message }: ResultRow): Record<string, string> => ({
  [statusColumn]: status === 'unknown' ? 'UNKNOWN' : 'ERROR',
  message: error_message ?? '',
})

export function presentConfiguration(row: ConfigurationRow): CheckConfiguration {
  return {
    id: row.id,
    organization_id: row.organization_id,
    check_id: row.check_id,
    name: row.name,
    check_slug: row.slug,
    issue_title: row.issue_title,
    options: JSON.stringify({ ...defaultsOf(row.option_definitions), ...row.options }),
    use_custom_rationale_template: row.custom_rationale_template !== null,
    use_custom_fix_instructions_template: row.custom_fix_instructions_template !== null,
    paused: row.paused_at !== null,
    paused_by: row.paused_by,
    paused_at: row.paused_at,
    revision: row.revision,
    block_auth_grace_period_days: row.block_auth_grace_period_days,
    auth_check_run_shelf_life_seconds: row.auth_check_run_shelf_life_seconds,
    begins_blocking_on: row.begins_blocking_on,
    snooze_disallowed: row.snooze_disallowed,
    exemptions_disallowed: row.exemptions_disallowed,
    customized_remediation_targeting: row.blocking_allowed_groups.length > 0 || row.blocking_excluded_groups.length > 0,
    customized_run_targeting: row.targeted_groups.length > 0 || row.excluded_groups.length > 0,
    remediation_strategy: row.remediation_strategy,
    targeted_groups: row.targeted_groups,
    excluded_groups: row.excluded_groups,
    blocking_allowed_groups: row.blocking_allowed_groups,
    blocking_excluded_groups: row.blocking_excluded_groups,
  }
}

const defaultsOf = (definitions: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, (definition as { default: unknown }).default]),
  )

export const presentRefresh = (deviceId: string, checkIds: readonly string[], now: string): CheckRefresh => ({
  device_id: deviceId,
  check_id: checkIds[0] ?? '',
  check_refresh_initiated_at: now,
  data: [...new Set(checkIds)].map((checkId) => ({ device_id: deviceId, check_id: checkId })),
})
