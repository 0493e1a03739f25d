import type { AdministratorFilter } from '@muster/contract/console-settings.ts'
import { query } from '../api/query.ts'

export const administratorsQuery = (filter: AdministratorFilter, after?: string) =>
  query('listAdministratorViews', { query: { ...filter, per_page: 50, cursor: after } })
