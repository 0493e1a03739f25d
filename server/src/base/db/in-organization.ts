import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'

type TenantTable = {
  [Table in keyof Database]: Database[Table] extends { organization_id: string } ? Table : never
}[keyof Database]

/**
 * The one predicate that keeps organizations apart. Every statement on a tenant table has it for its first table;
 * further tables join on `organization_id` as well as on their own key.
 */
export const inOrganization = (table: TenantTable, organizationId: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${organizationId}::bigint`
