import type { IssueViewFilter } from '@muster/contract/console-issues.ts'
import { type IssueSort, issueSorts } from '@muster/contract/console-values.ts'
import { query } from '../api/query.ts'
import { given, readAfter, readChoice, readId, readText, sentenceOf } from '../components/read-filters.ts'

export const issueStates = {
  open: 'Open',
  all: 'Open and resolved',
  blocking: 'Blocking now',
  will_block: 'Will block',
  held: 'Block held',
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

export const issuesQuery = ({ sort, after, ...filters }: IssueFilters) =>
  query('listIssueViews', { query: { ...issueFilterOf(filters), sort, per_page: 50, cursor: after } }, { pace: 'slow' })

export const issueQuery = (id: string) => query('getIssueFacts', { params: { issueId: id } }, { pace: 'usual' })
