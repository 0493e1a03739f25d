import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

const maxOfKind = 6
const patternOf = (text: string): string => `%${text.trim().replace(/[\\%_]/g, '\\$&')}%`

/** Devices, people and checks with a text in their names; those that begin with it come first. */
export async function find(reader: Reader, organizationId: string, text: string) {
  const pattern = patternOf(text)
  const start = pattern.slice(1)
  const [devices, people, checks] = await Promise.all([
    reader
      .selectFrom('devices')
      .where(inOrganization('devices', organizationId))
      .where('deleted_at', 'is', null)
      .where((is) => is.or([is('name', 'ilike', pattern), is('serial', 'ilike', pattern)]))
      .select(['id', 'name', 'serial as detail'])
      .orderBy(sql`name not ilike ${start}`)
      .orderBy('name')
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
    ...devices.map((row) => ({ kind: 'device' as const, ...row })),
    ...people.map((row) => ({ kind: 'person' as const, ...row })),
    ...checks.map((row) => ({ kind: 'check' as const, ...row, detail: null })),
  ]
}
