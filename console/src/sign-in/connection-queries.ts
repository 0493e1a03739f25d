import { query } from '../api/query.ts'

/** An organization has 50 at most. */
export const upstreamsQuery = query('listSignInUpstreams', { query: { per_page: 100 } })

export const connectionQuery = (id: string) => query('getSignInConnection', { params: { id } }, { pace: 'usual' })
