import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { shownState } from '../../inventory/devices/rules.ts'

const maxOfKind = 6
const patternOf = (text: string): string => `%${text.trim().replace(/[\\%_]/g, '\\$&')}%`

/** People, devices and checks with a text in their names; those that begin with it come first. */
export async function find(reader: Reader, organizationId: string, text: string) {
  const pattern = patternOf(text)
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
      .where((is) => is.or([is('devices.name', 'ilike', pattern), is('devices.serial', 'ilike', pattern)]))
      .select(['devices.id', 'devices.name', 'devices.serial', 'devices.auth_state', 'owner.name as owner'])
      .orderBy(sql`devices.name not ilike ${start}`)
      .orderBy('devices.name')
      .limit(maxOfKind)
      .execute(),
    reader
      .selectFrom('people')
      .where(inOrganization('people', organizationId))
      .where((is) => is.or([is('name', 'ilike', pattern), is('email', 'ilike', pattern)]))
      .select(['id', 'name', 'email as detail'])
      .orderBy(sql`name not ilike ${start}`)
      .orderBy('name')
      .limit(maxOfKind)
      .execute(),
    reader
      .selectFrom('checks')
      .where(inOrganization('checks', organizationId))
      .where('name', 'ilike', pattern)
      .select(['id', 'name'])
      .orderBy(sql`name not ilike ${start}`)
      .orderBy('name')
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
