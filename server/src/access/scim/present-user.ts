import type { Links } from '../../base/links.ts'
import type { Values } from './attribute.ts'
import { versionOf } from './require-version.ts'
import type { UserRow } from './user-queries.ts'
import { enterpriseUrn, userUrn } from './user-schema.ts'

export const userLocation = (links: Links, id: string): string => links.url(`/scim/v2/Users/${id}`)

export function presentUser(row: UserRow, links: Links): Values {
  const { person_id: id, attributes } = row
  return {
    schemas: enterpriseUrn in attributes ? [userUrn, enterpriseUrn] : [userUrn],
    id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.user_name,
    active: row.active,
    ...attributes,
    meta: {
      resourceType: 'User',
      created: row.created_at,
      lastModified: row.updated_at,
      location: userLocation(links, id),
      version: versionOf(row.revision),
    },
  }
}
