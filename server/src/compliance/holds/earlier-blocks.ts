import { sql } from 'kysely'
import { plusMs } from '../../base/time.ts'
import { breaker } from './hold-rules.ts'

/**
 * Whether a hold that begins at `began` takes the block of an issue back: it came without notice within the hour before,
 * and nobody has met it at a sign-in. `holdId`: of the hold that the block was counted for; null for one that may begin.
 */
export const isTakenBack = (began: string, holdId: string | null) => sql<boolean>`(
  issues.resolved_at is null and issues.hold_id is null
  and issues.blocks_device_at between ${plusMs(began, -breaker.windowMs)}::timestamptz
    and ${plusMs(began, breaker.noticeMs)}::timestamptz
  and exists (select from sudden_blocks as counted
    where counted.organization_id = issues.organization_id and counted.check_id = issues.check_id
      and counted.device_id = issues.device_id and counted.hold_id is not distinct from ${holdId}::bigint
      and counted.blocked_at > ${plusMs(began, -breaker.windowMs)}::timestamptz)
  and not exists (select from auth_logs as log
    join auth_log_issues as shown on shown.organization_id = log.organization_id and shown.auth_log_id = log.id
    where log.organization_id = issues.organization_id and log.device_id = issues.device_id
      and log.started_at > issues.blocks_device_at - interval '1 hour'
      and shown.issue_id = issues.id and shown.blocking_status = 'blocked'))`

/** Whether first answers to the query of an upgrade wait under `hold`; null where there is none. */
export const isOfUpgrade = sql<
  boolean | null
>`case when hold.id is not null then hold.upgraded_query_revision is not null end`
