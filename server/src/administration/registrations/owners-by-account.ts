import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { foldText } from '../../base/fold-text.ts'
import { ownerOf } from './owner-by-account-rules.ts'

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
  const people = await listPeople(reader, organizationId, [...accounts.values()].flat())
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

/** By the folded account: a user name, or its part before the @ as it is on machines. */
async function listPeople(reader: Reader, organizationId: string, accounts: readonly string[]) {
  const people = new Map<string, Person[]>()
  const wanted = new Set(accounts.map((account) => `${organizationId}:${foldText(account)}`))
  if (wanted.size === 0) return people
  const names = sql<string[]>`account_names(organization_id, usernames)`
  const rows = await reader
    .selectFrom('people')
    .select(['id', 'name', 'email', names.as('keys')])
    .where(inOrganization('people', organizationId))
    .where(sql<boolean>`${names} && ${[...wanted]}::text[]`)
    .where('deprovisioned_at', 'is', null)
    .orderBy('id')
    .execute()
  for (const { keys, ...person } of rows) {
    for (const key of keys) {
      const name = key.slice(organizationId.length + 1)
      if (wanted.has(key)) people.set(name, [...(people.get(name) ?? []), person])
    }
  }
  return people
}
