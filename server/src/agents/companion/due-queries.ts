import { listRequestedChecks } from '../companion-keys/queries.ts'
import { planOf } from '../protocol/load-device.ts'
import { queryName } from '../protocol/query-names.ts'
import type { CompanionContext } from './companion-context.ts'

export type DueQuery = { name: string; sql: string }

/** What one contact brings; the rest comes with the next. */
const maxQueries = 20

/** The checks that somebody waits for on the device, each handed out once in half a minute. */
export async function dueQueries(
  { agents, db, handedOut }: CompanionContext,
  { organizationId, deviceId }: { organizationId: string; deviceId: string },
): Promise<DueQuery[]> {
  const requested = await listRequestedChecks(db, organizationId, deviceId)
  if (requested.length === 0) return []
  const plan = await planOf(agents, agents.registry.organization(organizationId))
  const issuedAtMs = Date.parse(agents.clock())
  const due: DueQuery[] = []
  for (const { check_id: id, requested_at: requestedAt } of requested) {
    const check = plan.get(id)
    const key = `${organizationId}/${deviceId}/${id}/${requestedAt}`
    if (!check || !('json' in check.query) || handedOut.get(key) || due.length >= maxQueries) continue
    handedOut.note(key, true)
    const asked = { kind: 'check', id, revision: check.queryRevision, issuedAtMs } as const
    const name = queryName(agents.secrets, { organizationId, deviceId }, asked)
    due.push({ name, sql: JSON.parse(check.query.json) as string })
  }
  return due
}
