import type { ChangeContext } from '../base/change-context.ts'
import type { Tx } from '../base/db/transact.ts'
import { fail } from '../base/errors.ts'
import { dayMs } from '../base/time.ts'
import { recordAudit } from '../signals/audit/record-audit.ts'
import { insertTargets, refuseUnknownDevices } from './target-devices.ts'
import type { Targets } from './targeting-rules.ts'

export type NewCampaign = {
  /** Left out: the beginning of the SQL. */
  name: string | undefined
  sql: string
  tablesUsed: readonly string[]
  targets: Targets
  /** As the caller wrote them, for telling which are unknown. */
  namedDeviceIds: readonly string[]
}

const waitedForMs = 7 * dayMs

/** Until when devices that are not online are waited for. */
export const waitsUntil = (now: string): string => new Date(Date.parse(now) + waitedForMs).toISOString()

/**
 * Has devices run a statement at their next contact. Returns the campaign's identifier. Fails with invalid for devices
 * that the organization does not have, and when none is targeted.
 */
export async function createCampaign(tx: Tx, campaign: NewCampaign, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  const { sql, targets } = campaign
  const name = campaign.name ?? nameOf(sql)
  refuseNoTargets(targets)
  await refuseUnknownDevices(tx, organizationId, campaign.namedDeviceIds)
  const { id } = await tx
    .insertInto('live_query_campaigns')
    .values({
      organization_id: organizationId,
      name,
      osquery_sql: sql,
      tables_used: [...campaign.tablesUsed],
      published: true,
      targeted_device_ids: [...targets.deviceIds],
      targeted_platforms: [...targets.platforms],
      created_at: now,
      started_at: now,
      waits_until: waitsUntil(now),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertTargets(tx, { organizationId, campaignId: id, revision: 1, targets, now })
  const description = `Created the live query "${name}": ${sql}`
  await recordAudit(tx, { action: 'live_query.created', about: { live_query: id }, description }, context)
  return id
}

/** The statement on one line, cut to 100 characters. */
function nameOf(sql: string): string {
  const characters = Array.from(sql.trim().replace(/\s+/g, ' ').slice(0, 202))
  return characters.length > 100 ? `${characters.slice(0, 100).join('').trimEnd()}…` : characters.join('')
}

export function refuseNoTargets({ deviceIds, platforms }: Targets): void {
  if (deviceIds.length > 0 || platforms.length > 0) return
  fail('invalid', { errors: [{ field: '', message: 'must name at least one target' }] })
}
