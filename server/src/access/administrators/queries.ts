import type { adminUserSearch } from '@muster/contract/admin-users.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const searchColumns = {
  first_name: { column: 'admin_users.first_name', type: 'text' },
  last_name: { column: 'admin_users.last_name', type: 'text' },
  email: { column: 'admin_users.email', type: 'text' },
  created_at: { column: 'admin_users.created_at', type: 'timestamptz' },
} satisfies SearchColumns<typeof adminUserSearch>

const byId: Keyset = { id: { column: 'admin_users.id', type: 'bigint' }, direction: 'asc' }

const fromAdminUsers = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('admin_users')
    .select(['id', 'first_name', 'last_name', 'email', 'access', 'restrictions', 'created_at'])
    .where(inOrganization('admin_users', organizationId))

export type AdminUserRow = Awaited<ReturnType<typeof listAdminUsers>>[number]

export const listAdminUsers = compileList((reader, page: ListPage) =>
  fromAdminUsers(reader, page.organizationId).$call(onPage(page, byId, searchColumns)),
)

export const findAdminUser = (reader: Reader, organizationId: string, id: string) =>
  fromAdminUsers(reader, organizationId).where('id', '=', id).executeTakeFirst()
