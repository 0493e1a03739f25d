import { groupOperations } from '@muster/contract/operations/groups.ts'
import { sql } from 'kysely'
import { presentDeviceGroup, presentPersonGroup } from '../../administration/groups/present.ts'
import { listDeviceGroups, listPersonGroups } from '../../administration/groups/queries.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { type AskedList, type ListPlace, listRecords, recordList, shorten } from '../list-records.ts'
import { type AskedKind, requireKind } from './require-kind.ts'

const kinds = {
  device: recordList({
    ...{ called: 'device groups', operation: groupOperations.listDeviceGroups },
    ...{ list: listDeviceGroups, present: presentDeviceGroup },
    cellsOf: (rows) =>
      rows.map((row) => [
        ...['device', row.id, row.name, String(row.members_count)],
        row.description === null ? null : shorten(row.description),
      ]),
  }),
  person: recordList({
    ...{ called: 'person groups', operation: groupOperations.listPersonGroups },
    ...{ list: listPersonGroups, present: presentPersonGroup },
    async cellsOf(rows, place) {
      const counts = await countPeople(
        place,
        rows.map(({ id }) => id),
      )
      return rows.map(({ id, name }) => ['person', id, name, String(counts.get(id) ?? 0), null])
    },
  }),
}

/** Lists groups of both kinds, or of one. */
export async function listGroups(
  context: CommandContext,
  { kind, ...asked }: AskedList & AskedKind<keyof typeof kinds>,
  io: CommandIo,
) {
  requireKind({ kind, ...asked })
  const lists = kind === undefined ? [kinds.device, kinds.person] : [kinds[kind]]
  return listRecords(context, asked, { lists, heads: ['KIND', 'ID', 'NAME', 'MEMBERS', 'DESCRIPTION'] }, io)
}

/** How many people are in each group, without those who were taken out. */
async function countPeople({ reader, organizationId }: ListPlace, ids: readonly string[]) {
  const rows = await reader
    .selectFrom('person_group_members')
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'person_group_members.organization_id')
        .onRef('people.id', '=', 'person_group_members.person_id'),
    )
    .select(['person_group_members.person_group_id as id', sql<number>`count(*)::int`.as('count')])
    .where(inOrganization('person_group_members', organizationId))
    .where('person_group_members.person_group_id', '=', sql<string>`any(${ids}::bigint[])`)
    .where('people.deprovisioned_at', 'is', null)
    .groupBy('person_group_members.person_group_id')
    .execute()
  return new Map(rows.map(({ id, count }) => [id, count]))
}
