import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { plainText } from '../table.ts'

export const platformNames: ReadonlyMap<string, string> = new Map([
  ['macos', 'macOS'],
  ['windows', 'Windows'],
  ['linux', 'Linux'],
])

const isIdentifier = (text: string): boolean => /^[0-9]{1,18}$/.test(text)

/**
 * What a configuration holds for what is typed: a platform, or the identifier of a device group that is named by identifier or
 * name. A CommandError where there is none, or where several have the name.
 */
export async function findDeviceGroups(
  reader: Reader,
  organizationId: string,
  typed: readonly string[],
): Promise<string[]> {
  const named = typed.filter((text) => !platformNames.has(text))
  if (named.length === 0) return [...typed]
  const groups = await reader
    .selectFrom('device_groups')
    .select(['id', 'name'])
    .where(inOrganization('device_groups', organizationId))
    .where((build) =>
      build.or([
        build('id', '=', sql<string>`any(${named.filter(isIdentifier)}::bigint[])`),
        build('name', '=', sql<string>`any(${named}::text[])`),
      ]),
    )
    .orderBy('id')
    .execute()
  return typed.map((text) => (platformNames.has(text) ? text : theOnlyGroup(groups, text)))
}

/** An identifier counts before a name. */
function theOnlyGroup(groups: readonly { id: string; name: string }[], text: string): string {
  const identified = groups.find(({ id }) => id === text)
  if (identified) return identified.id
  const [only, ...others] = groups.filter(({ name }) => name === text)
  if (!only) {
    throw new CommandError(exitCodes.notFound, `There is no device group ${plainText(text)}: muster groups list`)
  }
  if (others.length === 0) return only.id
  const ids = [only, ...others].map(({ id }) => id).join(', ')
  throw new CommandError(
    exitCodes.usage,
    `Several device groups are called ${plainText(text)}: name one by its identifier, ${ids}`,
  )
}
