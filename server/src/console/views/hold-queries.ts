import type { BlockHolds } from '@muster/contract/console-checks.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

const most = 100

/** Holds that nobody has decided about, and discarded ones that still keep a device from being blocked. */
export async function listHolds(reader: Reader, organizationId: string): Promise<BlockHolds['data']> {
  const rows = await reader
    .selectFrom('block_holds as hold')
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'hold.organization_id').onRef('checks.id', '=', 'hold.check_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'hold.organization_id')
        .onRef('configuration.check_id', '=', 'hold.check_id'),
    )
    .leftJoin(countHeld(reader, organizationId).as('held'), (join) => join.onRef('held.hold_id', '=', 'hold.id'))
    .select([
      ...(['hold.id', 'hold.check_id', 'checks.name', 'hold.began_at', 'hold.owner_limit'] as const),
      ...(['hold.upgraded_query_revision', 'configuration.query_upgraded_at'] as const),
      ...(['hold.taken_back', 'hold.decided_at', 'hold.decided_by', 'held.devices', 'held.people'] as const),
    ])
    .where('hold.organization_id', '=', organizationId)
    .where('checks.deletion_requested_at', 'is', null)
    .where((build) =>
      build.or([
        build('hold.decision', 'is', null),
        build.and([build('hold.decision', '=', 'discarded'), build('held.devices', '>', 0)]),
      ]),
    )
    .orderBy('hold.id', 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => ({
    ...{ id: row.id, check: { id: row.check_id, name: row.name } },
    ...{ began_at: row.began_at, owner_limit: row.owner_limit, taken_back: row.taken_back },
    query_upgraded_at: row.upgraded_query_revision === null ? null : row.query_upgraded_at,
    ...{ devices: row.devices ?? 0, people: row.people ?? 0 },
    ...{ discarded_at: row.decided_at, discarded_by: row.decided_by },
  }))
}

const countHeld = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('issues')
    .innerJoin('devices', (join) =>
      join.onRef('devices.organization_id', '=', 'issues.organization_id').onRef('devices.id', '=', 'issues.device_id'),
    )
    .select([
      'issues.hold_id',
      sql<number>`count(distinct devices.id)::int`.as('devices'),
      sql<number>`count(distinct devices.registered_owner_id)::int`.as('people'),
    ])
    .where(inOrganization('issues', organizationId))
    .where('issues.hold_id', 'is not', null)
    .where('issues.resolved_at', 'is', null)
    .where('issues.exempted', '=', false)
    .where('devices.deleted_at', 'is', null)
    .groupBy('issues.hold_id')
