import { queryClient } from '../api/query-client.ts'
import { summaryQuery } from '../devices/device-queries.ts'

/** Begins to ask while the page's code is on its way. */
export const dashboardLoader = (): void => void queryClient.prefetchQuery(summaryQuery)
