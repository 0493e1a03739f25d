import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { foldText } from '../../base/fold-text.ts'
import { ownerOf } from './owner-by-account-rules.ts'
import { listPeopleByAccount } from './people-by-account.ts'

/** A device that never had an owner, and who would be it. */
export type FoundOwner = {
  readonly deviceId: string
  readonly deviceName: string
  readonly account: string
  readonly person: Person
}

type Person = { readonly id: string; readonly name: string; readonly email: string }

/** Devices that are looked at together. */
const devicesTogether = 500

/** A machine that so many use at once belongs to none of them. */
const maxAccounts = 20

/**
 * Of the next devices that never had an owner, in the order of their identifiers, those on which one person's account is
 * logged in. `last` is where to go on; undefined at the end.
 */
export async function findOwnersByAccount(reader: Reader, organizationId: string, after = '0') {
  const devices = await reader
    .selectFrom('devices')
    .select(['id', 'name'])
    .where(inOrganization('devices', organizationId))
    .where((build) => build.not('has_had_owner'))
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(devicesTogether)
    .execute()
  const accounts = await listAccounts(reader, organizationId, devices)
  const people = await listPeopleByAccount(reader, organizationId, [...accounts.values()].flat())
  const found = devices.flatMap(({ id, name }): FoundOwner[] => {
    const logged = accounts.get(id) ?? []
    const owner = ownerOf(logged.map((account) => ({ account, people: people.get(foldText(account)) ?? [] })))
    return owner ? [{ deviceId: id, deviceName: name, ...owner }] : []
  })
  return { found, last: devices.length < devicesTogether ? undefined : devices.at(-1)?.id }
}

/** Who is logged in on each device: what `type` says of the other lines is that the machine has started, or waits. */
async function listAccounts(reader: Reader, organizationId: string, devices: readonly { readonly id: string }[]) {
  if (devices.length === 0) return new Map<string, string[]>()
  const account = sql<string>`(content ->> 'username') collate "C"`
  const rows = await reader
    .selectFrom('device_snapshot_rows')
    .select(['device_id', sql<string[]>`array_agg(distinct ${account})`.as('accounts')])
    .where(inOrganization('device_snapshot_rows', organizationId))
    .where('device_id', '=', sql<string>`any(${devices.map(({ id }) => id)}::bigint[])`)
    .where('reporting_table', '=', 'device_logged_in_users')
    .where(sql<boolean>`lower(content ->> 'type') in ('user', 'active', 'disconnected')`)
    .groupBy('device_id')
    .having(sql`count(distinct ${account})`, '<=', maxAccounts)
    .execute()
  return new Map(rows.map((row) => [row.device_id, row.accounts]))
}
