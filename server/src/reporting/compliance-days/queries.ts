import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

export type ComplianceDay = Awaited<ReturnType<typeof listComplianceDays>>[number]

/** What is known of the days from one until before another (`2026-11-20`), oldest first; at most 100. */
export const listComplianceDays = (reader: Reader, organizationId: string, from: string, until: string) =>
  reader
    .selectFrom('compliance_days')
    .where(inOrganization('compliance_days', organizationId))
    .where('day', '>=', sql<string>`${from}::date`)
    .where('day', '<', sql<string>`${until}::date`)
    .select([sql<string>`day::text`.as('day'), 'blocked', 'will_block', 'notified', 'good', 'stale', 'never'])
    .orderBy('compliance_days.day')
    .limit(100)
    .execute()

/** How many devices failed the checks on a day, as far as it is known. */
export async function failingOnDay(
  reader: Reader,
  organizationId: string,
  checkIds: readonly string[],
  day: string,
): Promise<ReadonlyMap<string, number>> {
  if (checkIds.length === 0) return new Map()
  const rows = await reader
    .selectFrom('check_days')
    .where(inOrganization('check_days', organizationId))
    .where('check_id', 'in', checkIds)
    .where('day', '=', sql<string>`${day}::date`)
    .where('failing', 'is not', null)
    .select(['check_id', 'failing'])
    .$narrowType<{ failing: number }>()
    .execute()
  return new Map(rows.map(({ check_id, failing }) => [check_id, failing]))
}
