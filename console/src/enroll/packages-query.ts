import { query } from '../api/query.ts'

export const packagesQuery = query('listPackages', { query: { per_page: 100 } })
