import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { storable } from '../../base/storable.ts'
import { listBlockingIssues } from './queries.ts'
import { blockingStatusOf, longest, maxIssues } from './rules.ts'
import { type Step, touchAuthLog } from './touch-auth-log.ts'

/**
 * Notes which of the open issues of the log's device the person is shown, each with what it means for the device
 * at that moment; those that do not block are left out. An issue shown again is noted once, with its latest status.
 * False when the log is over.
 */
export async function showIssues(
  tx: Tx,
  { issueIds, ...step }: Step & { issueIds: readonly string[] },
): Promise<boolean> {
  const { organizationId, authLogId, now } = step
  const open = await touchAuthLog(tx, step)
  if (!open) return false
  const shown = (await listBlockingIssues(tx, organizationId, authLogId, issueIds)).map((issue) => ({
    ...issue,
    status: blockingStatusOf(issue.blocks_device_at, now),
  }))
  const room = maxIssues - open.issues_count
  const added = shown.filter(({ noted_status }) => noted_status === null).slice(0, room)
  const changed = shown.filter(({ noted_status, status }) => noted_status !== null && noted_status !== status)
  if (added.length > 0) {
    const rows = added.map((issue, index) => ({
      organization_id: organizationId,
      auth_log_id: authLogId,
      issue_id: issue.id,
      position: open.issues_count + index + 1,
      title: storable(issue.title, longest.title),
      blocking_status: issue.status,
    }))
    await tx.insertInto('auth_log_issues').values(rows).execute()
    await tx
      .updateTable('auth_log_open_sessions')
      .set((row) => ({ issues_count: row('issues_count', '+', added.length) }))
      .where(inOrganization('auth_log_open_sessions', organizationId))
      .where('auth_log_id', '=', authLogId)
      .execute()
  }
  for (const status of ['blocked', 'will_block'] as const) {
    const ids = changed.filter((issue) => issue.status === status).map(({ id }) => id)
    if (ids.length === 0) continue
    await tx
      .updateTable('auth_log_issues')
      .set({ blocking_status: status })
      .where(inOrganization('auth_log_issues', organizationId))
      .where('auth_log_id', '=', authLogId)
      .where('issue_id', '=', sql<string>`any(${ids}::bigint[])`)
      .execute()
  }
  return true
}
