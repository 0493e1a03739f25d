import { type RawBuilder, sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The linked key of a device; without one, the newest that waits for its link. */
export const findCompanionOfDevice = (reader: Reader, organizationId: string, deviceId: string) =>
  reader
    .selectFrom('companion_keys')
    .select(['status as state', 'kid', 'agent_version', 'is_bundled', 'linked_at', 'linked_by'])
    .select(['last_contact_at', 'last_proved_at', 'seen_twice_at', 'port', 'taken_ports'])
    .where(inOrganization('companion_keys', organizationId))
    .where('device_id', '=', deviceId)
    .orderBy(sql`status = 'linked'`, 'desc')
    .orderBy('enrolled_at', 'desc')
    .orderBy('kid')
    .limit(1)
    .executeTakeFirst()

/** The key that speaks for a device: since when, and the network that its companion last checked in from. */
export const findLinkedKey = (reader: Reader, organizationId: string, deviceId: string) =>
  reader
    .selectFrom('companion_keys')
    .select(['linked_at', 'network'])
    .where(inOrganization('companion_keys', organizationId))
    .where('device_id', '=', deviceId)
    .where('status', '=', 'linked')
    .executeTakeFirst()

const hasKey = (organizationId: string, wanted: RawBuilder<boolean>) => sql<boolean>`exists (
  select from companion_keys as key where key.organization_id = ${organizationId}::bigint and key.device_id = devices.id
    and ${wanted})`

const isLinked = sql<boolean>`key.status = 'linked'`

/** Whether a row of `devices` stands so with its companion. */
export function standsWithCompanion(
  organizationId: string,
  standing: 'linked' | 'linking' | 'none' | 'seen_twice',
): RawBuilder<boolean> {
  const has = (wanted: RawBuilder<boolean>) => hasKey(organizationId, wanted)
  const byStanding = {
    linked: has(isLinked),
    linking: sql<boolean>`(${has(sql`key.status = 'linking'`)} and not ${has(isLinked)})`,
    none: sql<boolean>`not ${has(sql`true`)}`,
    seen_twice: has(sql`key.seen_twice_at is not null`),
  }
  return byStanding[standing]
}
