import { personOperations } from '@muster/contract/operations/people.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import { presentDeprovisionedPerson, presentPerson } from '../../inventory/people/present.ts'
import { listDeprovisionedPeople, listPeople, type PersonRow } from '../../inventory/people/queries.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { type AskedList, type ListPlace, listRecords, recordList } from '../list-records.ts'

const cellsBeside =
  (column: 'last_authenticated_at' | 'deprovisioned_at') => async (rows: readonly PersonRow[], place: ListPlace) => {
    const facts = await factsOf(
      place,
      rows.map(({ id }) => id),
    )
    return rows.map(({ id, email, name }) => [
      ...[id, email, name, String(facts.get(id)?.devices_count ?? 0)],
      facts.get(id)?.[column] ?? null,
    ])
  }

const active = recordList({
  ...{ called: 'people', operation: personOperations.listPeople, list: listPeople, present: presentPerson },
  cellsOf: cellsBeside('last_authenticated_at'),
})

const deprovisioned = recordList({
  ...{ called: 'deprovisioned people', operation: personOperations.listDeprovisionedPeople },
  ...{ list: listDeprovisionedPeople, present: presentDeprovisionedPerson },
  cellsOf: cellsBeside('deprovisioned_at'),
})

/** Lists people, or those who were taken out. */
export const listPeopleOf = (context: CommandContext, asked: AskedList, isDeprovisioned: boolean, io: CommandIo) =>
  listRecords(
    context,
    asked,
    {
      lists: [isDeprovisioned ? deprovisioned : active],
      heads: ['ID', 'E-MAIL', 'NAME', 'DEVICES', isDeprovisioned ? 'DEPROVISIONED' : 'LAST SIGN-IN'],
    },
    io,
  )

/** What the records of the API do not have, for all people of a page. */
async function factsOf({ reader, organizationId }: ListPlace, ids: readonly string[]) {
  const rows = await reader
    .selectFrom('people')
    .select(['id', 'last_authenticated_at', 'deprovisioned_at'])
    .select(
      sql<number>`(select count(*)::int from devices where devices.organization_id = people.organization_id
        and devices.registered_owner_id = people.id and devices.deleted_at is null)`.as('devices_count'),
    )
    .where(inOrganization('people', organizationId))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
