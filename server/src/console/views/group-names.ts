import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

const platformNames = [
  ['macos', 'macOS'],
  ['windows', 'Windows'],
  ['linux', 'Linux'],
] as const

type Lists = { readonly blocking_excluded_groups: readonly string[] }

/** Names of the groups and platforms that are never blocked. */
export async function listGroupNames(
  reader: Reader,
  organizationId: string,
  { blocking_excluded_groups: groups }: Lists,
): Promise<ReadonlyMap<string, string>> {
  const ids = groups.filter((group) => /^\d{1,18}$/.test(group))
  if (ids.length === 0) return new Map(platformNames)
  const rows = await reader
    .selectFrom('device_groups')
    .select(['id', 'name'])
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
  return new Map([...platformNames, ...rows.map(({ id, name }) => [id, name] as const)])
}
