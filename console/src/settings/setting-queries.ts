import type { SettingFacts } from '@muster/contract/console-settings.ts'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/request.ts'

export const settingFactsQuery = queryOptions({
  queryKey: ['settings', 'facts'],
  queryFn: ({ signal }) => request<SettingFacts>('/views/settings', { signal }),
})
