import type { Retained } from '@muster/contract/retention.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from './api.ts'

export const settingFactsQuery = queryOptions({
  queryKey: ['settings', 'facts'],
  queryFn: ({ signal }) => api('getSettingFacts', { signal }),
})

/** For how many days something is kept here; undefined until it is known. */
export const useKeptDays = (what: Retained): number | undefined =>
  useQuery(settingFactsQuery).data?.chosen[`${what}_days`]
