import type { ConsoleSummary, DeviceView } from '@muster/contract/console-views.ts'
import type { ComplianceDay } from '../../reporting/compliance-days/queries.ts'
import type { DeviceViewRow } from './device-list.ts'
import type { NextToBlockRow } from './next-to-block.ts'
import type { countStandings, listFailingChecks } from './queries.ts'

export const presentDeviceView = (row: DeviceViewRow): DeviceView => ({
  id: row.id,
  name: row.name,
  device_type: row.device_type,
  standing: row.standing,
  identity_doubts: [
    ...(row.registration_suspended_at === null ? [] : (['suspended'] as const)),
    ...(row.identity_conflict_since === null ? [] : (['conflict'] as const)),
  ],
  will_block_at: row.will_block_at,
  blocked_since: row.blocked_since,
  owner: row.owner_id === null || row.owner_name === null ? null : { id: row.owner_id, name: row.owner_name },
  operating_system: row.operating_system,
  serial: row.serial,
  open_issues: row.open_issues,
  last_seen_at: row.last_seen_at,
  deleted_at: row.deleted_at,
})

type Found<Query extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Query>>

type SummaryParts = {
  readonly standings: Found<typeof countStandings>
  readonly next: readonly NextToBlockRow[]
  readonly checks: Found<typeof listFailingChecks>
  readonly waiting: number
  readonly days: readonly ComplianceDay[]
  readonly weekAgo: ReadonlyMap<string, number>
  readonly changes: ConsoleSummary['changes']
  readonly onlyReporting: ConsoleSummary['only_reporting']
  readonly manyRegistrations: ConsoleSummary['many_registrations']
}

export function presentSummary({
  standings,
  next,
  checks,
  waiting,
  days,
  weekAgo,
  changes,
  onlyReporting,
  manyRegistrations,
}: SummaryParts): ConsoleSummary {
  const of = (name: keyof ConsoleSummary['standings']) => standings.find(({ standing }) => standing === name)
  const reporting = standings.filter(({ standing }) => standing !== 'stale' && standing !== 'never')
  const count = (name: keyof ConsoleSummary['standings']) => of(name)?.devices ?? 0
  return {
    standings: {
      blocked: count('blocked'),
      will_block: count('will_block'),
      notified: count('notified'),
      good: count('good'),
      stale: count('stale'),
      never: count('never'),
    },
    days: [...days],
    changes,
    blocking_within_24h: of('will_block')?.soon ?? 0,
    late: reporting.reduce((sum, { late }) => sum + late, 0),
    waiting_requests: waiting,
    only_reporting: onlyReporting,
    next_to_block: next.map((row) => ({
      device_id: row.id,
      device_name: row.name,
      owner_name: row.owner_name,
      standing: row.standing,
      blocks_at: row.blocks_device_at,
      issue_id: row.issue_id,
      issue_title: row.title,
    })),
    many_registrations: manyRegistrations,
    failing_checks: checks.map((row) => ({
      check_id: row.id,
      check_name: row.name,
      strategy: row.remediation_strategy,
      is_paused: row.paused_at !== null,
      counted: row.counted,
      passing: row.passing,
      failing: row.failing,
      errored: row.errored,
      unknown: row.unknown,
      stale: row.stale,
      pending: row.pending,
      failing_a_week_ago: weekAgo.get(row.id) ?? null,
    })),
  }
}
