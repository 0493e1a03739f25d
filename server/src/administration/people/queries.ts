import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** A user of an identity provider that can still say so: without a token, or without the feature, nobody provides anyone. */
const isProvided = sql<boolean>`(
  exists (
    select from scim_users where scim_users.organization_id = people.organization_id
      and scim_users.person_id = people.id and scim_users.deleted_at is null
  ) and exists (
    select from scim_tokens where scim_tokens.organization_id = people.organization_id and scim_tokens.revoked_at is null
  ) and not exists (
    select from organizations where organizations.id = people.organization_id
      and 'scim' = any(organizations.disabled_features)
  )
)`.as('is_provided')

/** How a person stands, deprovisioned ones included, and the administrator who has their address. */
export const findPersonDetail = (reader: Reader, organizationId: string, personId: string) =>
  reader
    .selectFrom('people')
    .select(['people.id', 'people.deprovisioned_at', isProvided])
    .select(
      sql<string | null>`(
        select admin_users.id::text from admin_users where admin_users.organization_id = people.organization_id
          and folded(admin_users.email) = folded(people.email)
        order by admin_users.is_duplicate limit 1
      )`.as('administrator_id'),
    )
    .where(inOrganization('people', organizationId))
    .where('people.id', '=', personId)
    .executeTakeFirst()
