import { strategyWords } from '@muster/contract/strategy-words.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { ConfigurationRow } from '../../checks/configuration/queries.ts'
import { platformNames } from './find-device-groups.ts'

/** How a check is configured, by the labels of the console. */
export async function fieldsOfConfiguration(
  reader: Reader,
  row: ConfigurationRow,
): Promise<(readonly [name: string, value: string | null])[]> {
  const names = await readGroupNames(reader, row)
  const groups = (list: readonly string[], none: string) =>
    list.length === 0 ? none : list.map((group) => names.get(group) ?? group).join(', ')
  return [
    ['Check', `${row.check_id} ${row.slug}`],
    ['Name', row.name],
    ['When it fails', strategyWords[row.remediation_strategy]],
    ['Grace period', row.block_auth_grace_period_days === 1 ? '1 day' : `${row.block_auth_grace_period_days} days`],
    ['Not before', row.begins_blocking_on],
    ['Paused', row.paused_at === null ? 'no' : `since ${row.paused_at} by ${row.paused_by}`],
    ['Checked on', groups(row.targeted_groups, 'all matching devices')],
    ['Not checked on', groups(row.excluded_groups, 'no exclusions')],
    ['Blocks in', groups(row.blocking_allowed_groups, 'everyone checked')],
    ['Never blocks in', groups(row.blocking_excluded_groups, 'no exceptions')],
    ['Options', JSON.stringify(row.options)],
  ]
}

async function readGroupNames(reader: Reader, row: ConfigurationRow): Promise<ReadonlyMap<string, string>> {
  const lists = [row.targeted_groups, row.excluded_groups, row.blocking_allowed_groups, row.blocking_excluded_groups]
  const ids = lists.flat().filter((group) => !platformNames.has(group))
  if (ids.length === 0) return platformNames
  const groups = await reader
    .selectFrom('device_groups')
    .select(['id', 'name'])
    .where(inOrganization('device_groups', row.organization_id))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
  return new Map([...platformNames, ...groups.map(({ id, name }) => [id, `${name} (${id})`] as const)])
}
