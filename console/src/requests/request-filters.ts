import { given, readAfter, readChoice } from '../components/read-filters.ts'

export const statuses = { waiting: 'Waiting', approved: 'Approved', denied: 'Denied', withdrawn: 'Withdrawn' } as const
export type StatusName = keyof typeof statuses | 'all'

export type RequestFilters = { readonly status?: StatusName; readonly after?: string }

/** What waits needs no word in the address. */
export const readRequestFilters = (raw: Readonly<Record<string, unknown>>): RequestFilters => {
  const status = readChoice(raw, 'status', ['all', ...Object.keys(statuses)] as StatusName[])
  return given({ status: status === 'waiting' ? undefined : status, ...readAfter(raw) })
}

/** What the server is asked for. */
export const listedBy = ({ status = 'waiting', after }: RequestFilters) => ({
  query: { status: status === 'all' ? undefined : status, per_page: 25, cursor: after },
})
