import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { foldText } from '../../base/fold-text.ts'

type Person = { readonly id: string; readonly name: string; readonly email: string }

/**
 * The people whose accounts these are, by the folded account: a user name, or its part before the @ as it is on machines.
 * Without those who are deprovisioned.
 */
export async function listPeopleByAccount(reader: Reader, organizationId: string, accounts: readonly string[]) {
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
