import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { isOfUpgrade, isTakenBack } from '../../compliance/holds/earlier-blocks.ts'
import { isYetToBeTold } from '../../inventory/devices/issues-to-decide.ts'
import { listGroupsOfDevices } from '../../inventory/devices/lock-device.ts'
import { type StateOfIssue, stateOfIssue } from '../../inventory/devices/rules.ts'
import type { OwnIssue, PreviewedDevice } from './preview-rules.ts'

type Asked = { organizationId: string; checkId: string; after: string; limit: number; isWhole: boolean; now: string }

/** Devices by their identifiers, with what deciding them needs: those the check runs on, or all of them. */
export async function listPreviewedDevices(reader: Reader, asked: Asked) {
  const rows = await listDevices(reader, asked)
  const [groups, issues] = await Promise.all([
    listGroupsOfDevices(reader, asked.organizationId, rows),
    listOpenIssues(
      reader,
      asked,
      rows.map(({ id }) => id),
    ),
  ])
  return rows.map((row) => {
    const { own = [], others = [] } = issues.get(row.id) ?? {}
    return { ...row, group_ids: groups.get(row.id) ?? [], own, others } satisfies PreviewedDevice
  })
}

export type PreviewedRow = Awaited<ReturnType<typeof listPreviewedDevices>>[number]

const listDevices = (reader: Reader, { organizationId, checkId, after, limit, isWhole }: Asked) =>
  reader
    .selectFrom('devices')
    .leftJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'devices.organization_id')
        .onRef('result.device_id', '=', 'devices.id')
        .on('result.check_id', '=', checkId),
    )
    .leftJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'devices.organization_id')
        .onRef('people.id', '=', 'devices.registered_owner_id'),
    )
    .select([
      'devices.id',
      'devices.name',
      'devices.device_type',
      'devices.registered_owner_id',
      'devices.registered_at',
      'devices.registration_suspended_at',
      'devices.auth_state',
      'devices.will_block_at',
      'people.name as owner_name',
      'result.status',
      'result.snoozed_until',
    ])
    .where(inOrganization('devices', organizationId))
    .where('devices.deleted_at', 'is', null)
    .where('devices.id', '>', after)
    .$if(!isWhole, (query) => query.where('result.status', 'is not', null))
    .orderBy('devices.id')
    .limit(limit)
    .execute()

/**
 * Issues that are decided alike are read once: a check may find hundreds on a device, which were found together.
 * Of other checks only where this one has any, since elsewhere it changes nothing.
 */
async function listOpenIssues(reader: Reader, { organizationId, checkId, now }: Asked, deviceIds: readonly string[]) {
  const byDevice = new Map<string, { own: OwnIssue[]; others: StateOfIssue[] }>()
  if (deviceIds.length === 0) return byDevice
  const ofOwn = <T>(column: string) =>
    sql<T | null>`case when issues.check_id = ${checkId}::bigint then ${sql.ref(column)} end`
  const rows = await reader
    .selectFrom('issues')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
    .leftJoin('block_holds as hold', (join) =>
      join.onRef('hold.organization_id', '=', 'issues.organization_id').onRef('hold.id', '=', 'issues.hold_id'),
    )
    .select([
      'issues.device_id',
      'issues.exempted',
      'issues.blocks_device_at',
      'issues.hold_id',
      'issues.told_before_block',
      'configuration.remediation_strategy',
      'configuration.paused_at',
      ofOwn<string>('issues.detected_at').as('detected_at'),
      ofOwn<string>('issues.blocking_since').as('blocking_since'),
      'hold.decision as hold_decision',
      isOfUpgrade.as('hold_is_of_upgrade'),
      isYetToBeTold.as('is_yet_to_be_told'),
      sql<boolean>`issues.check_id = ${checkId}::bigint and ${isTakenBack(now, null)}`.as('is_taken_back'),
    ])
    .distinct()
    .where(inOrganization('issues', organizationId))
    .where('issues.resolved_at', 'is', null)
    .where('issues.device_id', 'in', (build) =>
      build
        .selectFrom('issues as own')
        .select('own.device_id')
        .where(sql<boolean>`own.organization_id = ${organizationId}::bigint`)
        .where('own.check_id', '=', checkId)
        .where('own.device_id', '=', sql<string>`any(${deviceIds}::bigint[])`)
        .where('own.resolved_at', 'is', null),
    )
    .execute()
  for (const row of rows) {
    const entry = byDevice.get(row.device_id) ?? { own: [], others: [] }
    byDevice.set(row.device_id, entry)
    const state = stateOfIssue(row)
    const { detected_at, blocking_since, hold_id, hold_decision, hold_is_of_upgrade } = row
    const { told_before_block, is_taken_back } = row
    if (detected_at === null) entry.others.push(state)
    else {
      const held = { hold_id, hold_decision, hold_is_of_upgrade, told_before_block, is_taken_back }
      entry.own.push({ ...state, detected_at, blocking_since, ...held })
    }
  }
  return byDevice
}

/** How many devices there are, and of these owners each. */
export async function countDevices(reader: Reader, organizationId: string, ownerIds: readonly string[]) {
  const living = reader
    .selectFrom('devices')
    .where(inOrganization('devices', organizationId))
    .where('deleted_at', 'is', null)
  const [total, owned] = await Promise.all([
    living.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
    living
      .select(['registered_owner_id', sql<number>`count(*)::int`.as('count')])
      .where('registered_owner_id', '=', sql<string>`any(${ownerIds}::bigint[])`)
      .groupBy('registered_owner_id')
      .execute(),
  ])
  return { total: total.count, byOwner: new Map(owned.map((row) => [row.registered_owner_id, row.count])) }
}
