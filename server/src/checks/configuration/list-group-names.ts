import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

const platformNames = [
  ['macos', 'macOS'],
  ['windows', 'Windows'],
  ['linux', 'Linux'],
] as const

/** Names of the platforms, and of those device groups, by what a configuration calls them. */
export async function listGroupNames(
  reader: Reader,
  organizationId: string,
  groups: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(groups)].filter((group) => /^\d{1,18}$/.test(group))
  if (ids.length === 0) return new Map(platformNames)
  const rows = await reader
    .selectFrom('device_groups')
    .select(['id', 'name'])
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
  return new Map([...platformNames, ...rows.map(({ id, name }) => [id, name] as const)])
}
