import type { AdminUser } from '@muster/contract/admin-users.ts'
import type { AdminUserRow } from './queries.ts'

export const presentAdminUser = (row: AdminUserRow): AdminUser => ({
  id: row.id,
  first_name: row.first_name,
  last_name: row.last_name,
  email: row.email,
  created_at: row.created_at,
  access: row.access,
  restrictions: row.restrictions,
})
