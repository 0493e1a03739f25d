import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { type OptionDefinitions, parseOptions } from '../../compliance/templates/options.ts'
import { changedSettings, wantedSettings } from './configuration-changes.ts'
import type { ConfigurationRow } from './queries.ts'
import type { SettingName, Settings } from './settings.ts'

export type SettingsChange = { before: Settings; after: Settings; changed: readonly SettingName[] }

export type WantedSettings = { request: CheckConfigurationRequest; beginsBlockingOn?: string | null | undefined }

/** What would change of the stored configuration. Fails with invalid, naming the members of the request. */
export async function readSettingsChange(
  reader: Reader,
  organizationId: string,
  stored: Omit<ConfigurationRow, 'slug' | 'issue_title' | 'type' | 'platforms'>,
  { request, beginsBlockingOn }: WantedSettings,
): Promise<SettingsChange> {
  const definitions = stored.option_definitions as OptionDefinitions
  const asked = wantedSettings(request, definitions)
  if ('errors' in asked) return fail('invalid', { errors: asked.errors })
  const wanted = beginsBlockingOn === undefined ? asked.ok : { ...asked.ok, begins_blocking_on: beginsBlockingOn }
  await refuseUnknownGroups(reader, organizationId, request)
  const inForce = parseOptions(definitions, stored.options)
  const before: Settings = {
    ...stored,
    is_paused: stored.paused_at !== null,
    options: 'ok' in inForce ? inForce.ok : stored.options,
  }
  return { before, after: { ...before, ...wanted }, changed: changedSettings(before, wanted) }
}

/** Another organization's group is refused in the same words as one that never was. */
async function refuseUnknownGroups(
  reader: Reader,
  organizationId: string,
  request: CheckConfigurationRequest,
): Promise<void> {
  const lists = [
    'targeted_groups',
    'excluded_groups',
    'blocking_allowed_groups',
    'blocking_excluded_groups',
  ] as const satisfies SettingName[]
  const named = lists.flatMap((field) =>
    (request[field] ?? []).map((group, index) => ({ field: `${field}/${index}`, group: String(group) })),
  )
  const ids = [...new Set(named.map(({ group }) => group).filter((group) => /^\d+$/.test(group)))]
  if (ids.length === 0) return
  const found = await reader
    .selectFrom('device_groups')
    .select('id')
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    // Whoever deletes one waits, and finds it named.
    .forKeyShare()
    .execute()
  const known = new Set(found.map(({ id }) => id))
  const errors = named
    .filter(({ group }) => ids.includes(group) && !known.has(group))
    .map(({ field }) => ({ field, message: 'there is no such device group' }))
  if (errors.length > 0) fail('invalid', { errors })
}
