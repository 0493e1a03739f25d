import { query } from './query.ts'

export const accountQuery = query('getAccount')
