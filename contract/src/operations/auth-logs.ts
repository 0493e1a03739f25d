import { AuthLog, authLogSearch } from '../auth-logs.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const authLogOperations = defineOperations({
  listAuthLogs: list({
    path: '/auth_logs',
    permission: 'read',
    summary: 'List auth logs, newest first',
    tag: 'Auth logs',
    search: authLogSearch,
    record: AuthLog,
  }),
  getAuthLog: json({
    method: 'GET',
    path: '/auth_logs/:id',
    permission: 'read',
    summary: 'Read an auth log',
    tag: 'Auth logs',
    answer: AuthLog,
  }),
})
