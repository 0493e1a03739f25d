import type { Retained } from '@muster/contract/retention.ts'
import { useQuery } from '@tanstack/react-query'
import { query } from './query.ts'

export const settingFactsQuery = query('getSettingFacts')

/** For how many days something is kept here; undefined until it is known. */
export const useKeptDays = (what: Retained): number | undefined =>
  useQuery(settingFactsQuery).data?.chosen[`${what}_days`]
