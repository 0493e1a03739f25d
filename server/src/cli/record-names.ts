import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import type { ListPlace } from './list-records.ts'

type Ids = readonly (string | null)[]

const among = (ids: Ids) => sql<string>`any(${[...new Set(ids.filter((id) => id !== null))]}::bigint[])`

/** The e-mail addresses of people, by identifier. */
export async function emailsOf({ reader, organizationId }: ListPlace, ids: Ids): Promise<Map<string | null, string>> {
  const people = await reader
    .selectFrom('people')
    .select(['id', 'email'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', among(ids))
    .execute()
  return new Map(people.map(({ id, email }) => [id, email]))
}

/** Identifiers and names of devices, by identifier. */
export async function devicesOf({ reader, organizationId }: ListPlace, ids: Ids): Promise<Map<string | null, string>> {
  const devices = await reader
    .selectFrom('devices')
    .select(['id', 'name'])
    .where(inOrganization('devices', organizationId))
    .where('id', '=', among(ids))
    .execute()
  return new Map(devices.map(({ id, name }) => [id, `${id} ${name}`]))
}

/** The slugs of checks, by identifier. */
export async function slugsOf({ reader, organizationId }: ListPlace, ids: Ids): Promise<Map<string | null, string>> {
  const checks = await reader
    .selectFrom('checks')
    .select(['id', 'slug'])
    .where(inOrganization('checks', organizationId))
    .where('id', '=', among(ids))
    .execute()
  return new Map(checks.map(({ id, slug }) => [id, slug]))
}
