import type { IssueFacts, IssueViewFilter } from '@muster/contract/console-issues.ts'
import { type IssueSort, issueSorts } from '@muster/contract/console-values.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { given, readAfter, readChoice, readId, readText, sentenceOf } from '../components/read-filters.ts'

export const issueStates = {
  open: 'Open',
  all: 'Open and resolved',
  blocking: 'Blocking now',
  will_block: 'Will block',
  notified: 'Notifies',
  report_only: 'Report only',
  exempted: 'Exempted',
  resolved: 'Resolved',
} as const satisfies Record<NonNullable<IssueViewFilter['state']>, string>

export type IssueFilters = {
  readonly state?: keyof typeof issueStates
  readonly check?: string
  readonly device?: string
  readonly q?: string
  readonly sort?: IssueSort
  readonly after?: string
}

/** What is resolved blocks nothing anymore, so it has no order by deadline. */
export const sortsOf = (state: IssueFilters['state']): readonly IssueSort[] =>
  issueSorts.filter((sort) => sort !== 'blocks_at' || (state !== 'all' && state !== 'resolved'))

/** The filters of an address; what they cannot mean is dropped, and open issues need no word. */
export function readIssueFilters(raw: Readonly<Record<string, unknown>>): IssueFilters {
  const state = readChoice(raw, 'state', Object.keys(issueStates) as (keyof typeof issueStates)[])
  return given({
    state: state === 'open' ? undefined : state,
    check: readId(raw, 'check'),
    device: readId(raw, 'device'),
    q: readText(raw, 'q'),
    sort: readChoice(raw, 'sort', sortsOf(state)),
    ...readAfter(raw),
  })
}

export const issueFiltersInWords = ({ state, check, device, q }: IssueFilters): string =>
  sentenceOf([
    state && state !== 'all' && `the state is ${issueStates[state]}`,
    check && 'it is of one check',
    device && 'it is on one device',
    q && `text contains “${q}”`,
  ])

/** What the server is asked for. */
export const issueFilterOf = ({ state, check, device, q }: IssueFilters) => ({ state, check, device, search: q })

export const issuesQuery = ({ state, check, device, q, sort, after }: IssueFilters) =>
  queryOptions({
    queryKey: ['issues', 'list', state, check, device, q, sort, after],
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    queryFn: ({ signal }) => {
      const query = { state, check, device, search: q, sort, per_page: 50, cursor: after }
      return api('listIssueViews', { query, signal })
    },
  })

export const issueQuery = (id: string) =>
  queryOptions<IssueFacts>({
    queryKey: ['issues', 'one', id],
    refetchInterval: 30_000,
    queryFn: ({ signal }) => api('getIssueFacts', { params: { issueId: id }, signal }),
  })
