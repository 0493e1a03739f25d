import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** When a person made their latest requests of either kind, the latest first: as many as `limit`. */
export async function listLatestRequests(
  reader: Reader,
  { organizationId, personId }: { organizationId: string; personId: string },
  limit: number,
): Promise<string[]> {
  const timesIn = (table: 'exemption_requests' | 'registration_requests') =>
    reader
      .selectFrom(table)
      .select('requested_at')
      .where(inOrganization(table, organizationId))
      .where('person_id', '=', personId)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  const rows = [...(await timesIn('exemption_requests')), ...(await timesIn('registration_requests'))]
  return rows
    .map(({ requested_at: at }) => at)
    .toSorted()
    .toReversed()
    .slice(0, limit)
}
