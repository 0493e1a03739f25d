import type { Links } from '../../base/links.ts'
import type { Values } from './attribute.ts'
import type { GroupRow, MemberRow } from './group-queries.ts'
import { groupUrn } from './group-schema.ts'
import { userLocation } from './present-user.ts'
import { versionOf } from './require-version.ts'

export const groupLocation = (links: Links, id: string): string => links.url(`/scim/v2/Groups/${id}`)

/** Without members where those were not read. */
export function presentGroup(row: GroupRow, members: readonly MemberRow[] | undefined, links: Links): Values {
  const { person_group_id: id } = row
  return {
    schemas: [groupUrn],
    id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members && { members: members.map((member) => presentMember(member, links)) }),
    meta: {
      resourceType: 'Group',
      created: row.created_at,
      lastModified: row.updated_at,
      location: groupLocation(links, id),
      version: versionOf(row.revision),
    },
  }
}

const presentMember = ({ person_id, name }: MemberRow, links: Links): Values => ({
  value: person_id,
  $ref: userLocation(links, person_id),
  display: name,
  type: 'User',
})
