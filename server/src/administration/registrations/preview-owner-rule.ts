import type { OwnerRulePreview } from '@muster/contract/owner-lists.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { findOwnersByAccount } from './owners-by-account.ts'

/** How many devices one answer looks through, 500 at a time. */
const maxSteps = 10

/** Which devices the account rule would assign to whom, from a device on; changes nothing. */
export async function previewOwnerRule(
  reader: Reader,
  organizationId: string,
  after: string | undefined,
): Promise<OwnerRulePreview> {
  const owners: OwnerRulePreview['owners'] = []
  let last = after
  for (let step = 0; step < maxSteps; step += 1) {
    const found = await findOwnersByAccount(reader, organizationId, last)
    last = found.last
    owners.push(
      ...found.found.map(({ deviceId, deviceName, account, person }) => ({
        ...{ device_id: deviceId, device_name: deviceName, account },
        person,
      })),
    )
    if (last === undefined) break
  }
  return { owners, never_owned_count: await countNeverOwned(reader, organizationId), after: last ?? null }
}

async function countNeverOwned(reader: Reader, organizationId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('devices')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(inOrganization('devices', organizationId))
    .where((build) => build.not('has_had_owner'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
