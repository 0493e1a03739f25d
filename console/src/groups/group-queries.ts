import { query } from '../api/query.ts'
import { given, readAfter, readText } from '../components/read-filters.ts'

/** What stands in the address of a list of groups, or of the members of one. */
export type GroupFilters = { readonly q?: string; readonly after?: string }

export const readGroupFilters = (raw: Readonly<Record<string, unknown>>): GroupFilters =>
  given({ q: readText(raw, 'q'), ...readAfter(raw) })

/** As a search of the API, in which a quotation mark cannot be searched for. */
export const groupSearch = (q = ''): string => {
  const text = q.replace(/["\\]/g, ' ').trim()
  return text === '' ? '' : `name~"${text}" OR description~"${text}"`
}

export const devicesFoundQuery = (filter: { group_id?: string; search?: string }, after?: string, per_page = 50) =>
  query('listDeviceViews', { query: { ...filter, per_page, cursor: after } }, { pace: 'slow' })
