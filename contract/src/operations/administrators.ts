import { AdminUser, adminUserSearch } from '../admin-users.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const administratorOperations = defineOperations({
  listAdminUsers: list({
    path: '/admin_users',
    permission: 'read',
    summary: 'List admin users',
    tag: 'Admin users',
    search: adminUserSearch,
    record: AdminUser,
  }),
  getAdminUser: json({
    method: 'GET',
    path: '/admin_users/:id',
    permission: 'read',
    summary: 'Read an admin user',
    tag: 'Admin users',
    answer: AdminUser,
  }),
})
