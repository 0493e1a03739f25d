import type { AuditChange } from '@muster/contract/audit-changes.ts'
import type { CheckConfiguration } from '@muster/contract/check-configurations.ts'
import type { ConfigurationAt } from '@muster/contract/console-checks.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { findConfiguration } from '../../checks/configuration/queries.ts'
import { presentConfiguration } from '../../checks/definitions/present.ts'
import { isCut } from '../../signals/audit/changes.ts'

const maxEntries = 500

const groupLists = [
  'targeted_groups',
  'excluded_groups',
  'blocking_allowed_groups',
  'blocking_excluded_groups',
] as const

type At = { organizationId: string; checkId: string; entryId: string }

/**
 * The configuration of a check as it was after an entry: today's, with all later entries undone, newest first. Fails with
 * not_found, and with invalid where more than 500 entries are later or one of them is cut.
 */
export async function readConfigurationAt(reader: Reader, at: At): Promise<ConfigurationAt> {
  const { organizationId, checkId, entryId } = at
  const today = presentConfiguration(orNotFound(await findConfiguration(reader, organizationId, checkId)))
  const entries = await listEntriesSince(reader, at)
  if (entries.length > maxEntries) fail('invalid', { message: `More than ${maxEntries} changes are later.` })
  if (entries.at(-1)?.id !== entryId) fail('not_found')
  const earlier = valuesBefore(entries.slice(0, -1))
  const { options, ...values } = earlier
  const configuration: CheckConfiguration = {
    ...today,
    ...values,
    ...(options !== undefined && { options: JSON.stringify(options) }),
  }
  const { lists, deletedCount } = await withoutDeleted(reader, organizationId, configuration)
  return { configuration: { ...configuration, ...lists }, deleted_groups: deletedCount }
}

const listEntriesSince = (reader: Reader, { organizationId, checkId, entryId }: At) =>
  reader
    .selectFrom('audit_logs')
    .select(['id', 'changes'])
    .where(inOrganization('audit_logs', organizationId))
    .where('action', '=', 'check.configured')
    .where('id', '>=', entryId)
    .where(sql<boolean>`audit_logs.about @> array[${`check:${checkId}`}::text]`)
    .orderBy('id', 'desc')
    .limit(sql.lit(maxEntries + 1))
    .execute()

type Entry = { readonly changes: readonly AuditChange[] | null }

/** By the names of the API. The entries are of this service, and hashed. */
function valuesBefore(entries: readonly Entry[]): Partial<CheckConfiguration> {
  const changes = entries.flatMap((entry) => entry.changes ?? [])
  if (changes.some(({ from }) => holdsCut(from))) {
    fail('invalid', { message: 'The audit log does not keep that configuration in full.' })
  }
  return Object.fromEntries(changes.map(({ field, from }) => [field, from]))
}

function holdsCut(value: unknown): boolean {
  if (typeof value === 'string') return isCut(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsCut)
}

async function withoutDeleted(reader: Reader, organizationId: string, configuration: CheckConfiguration) {
  const named = [...new Set(groupLists.flatMap((list) => configuration[list].filter((group) => /^\d+$/.test(group))))]
  const found = await reader
    .selectFrom('device_groups')
    .select('id')
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', sql<string>`any(${named}::bigint[])`)
    .execute()
  const known = new Set(found.map(({ id }) => id))
  const isThere = (group: string) => known.has(group) || !named.includes(group)
  const lists = Object.fromEntries(groupLists.map((list) => [list, configuration[list].filter(isThere)]))
  return { lists, deletedCount: named.length - known.size }
}
