import { query } from './query.ts'

export const waitingQuery = query('countWaitingRequests', {}, { pace: 'slow' })
