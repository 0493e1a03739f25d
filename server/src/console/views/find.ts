import { sql } from 'kysely'
import { folded, foldedPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { shownState } from '../../inventory/devices/rules.ts'

const maxOfKind = 6

/** People, devices and checks with a text in their names; those that begin with it come first. */
export async function find(reader: Reader, organizationId: string, text: string) {
  const pattern = foldedPattern(text.trim())
  const start = pattern.slice(1)
  const [devices, people, checks] = await Promise.all([
    reader
      .selectFrom('devices')
      .leftJoin('people as owner', (join) =>
        join
          .onRef('owner.organization_id', '=', 'devices.organization_id')
          .onRef('owner.id', '=', 'devices.registered_owner_id'),
      )
      .where(inOrganization('devices', organizationId))
      .where('devices.deleted_at', 'is', null)
      .where((is) =>
        is.or([is(folded('devices.name'), 'like', pattern), is(folded('devices.serial'), 'like', pattern)]),
      )
      .select(['devices.id', 'devices.name', 'devices.serial', 'devices.auth_state', 'owner.name as owner'])
      .orderBy(sql`folded(devices.name) not like ${start}`)
      .orderBy('devices.name', (order) => order.collate('C'))
      .limit(maxOfKind)
      .execute(),
    reader
      .selectFrom('people')
      .where(inOrganization('people', organizationId))
      .where((is) => is.or([is(folded('name'), 'like', pattern), is(folded('email'), 'like', pattern)]))
      .select(['id', 'name', 'email as detail'])
      .orderBy(sql`folded(name) not like ${start}`)
      .orderBy('name', (order) => order.collate('C'))
      .limit(maxOfKind)
      .execute(),
    reader
      .selectFrom('checks')
      .where(inOrganization('checks', organizationId))
      .where(folded('name'), 'like', pattern)
      .select(['id', 'name'])
      .orderBy(sql`folded(name) not like ${start}`)
      .orderBy('name', (order) => order.collate('C'))
      .limit(maxOfKind)
      .execute(),
  ])
  return [
    ...people.map((row) => ({ kind: 'person' as const, ...row })),
    ...devices.map(({ id, name, serial, auth_state: state, owner }) => ({
      kind: 'device' as const,
      id,
      name,
      detail:
        [...(owner === null ? [] : [owner, shownState[state]]), ...(serial === null ? [] : [serial])].join(' · ') ||
        null,
    })),
    ...checks.map((row) => ({ kind: 'check' as const, ...row, detail: null })),
  ]
}
