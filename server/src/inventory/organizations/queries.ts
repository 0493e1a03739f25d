import type { Reader } from '../../base/db/transact.ts'

export function findOrganization(reader: Reader, id: string) {
  return reader
    .selectFrom('organizations')
    .select(['id', 'name', 'disabled_features', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst()
}
