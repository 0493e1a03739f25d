import type { SignInViewFilter } from '@muster/contract/console-records.ts'
import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import { query } from '../api/query.ts'
import { given, readAfter, readChoice, readId, readText } from '../components/read-filters.ts'

export const statusWords = {
  all_good: 'All good',
  will_block: 'Will Block',
  blocked: 'Blocked',
  unknown: 'Not known',
} as const
export const sinceWords = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const

/** What stands in the address of the log. */
export type SignInFilters = {
  readonly q?: string
  readonly result?: 'Success' | 'Fail'
  readonly status?: keyof typeof statusWords
  readonly since?: keyof typeof sinceWords
  readonly reason?: SignInReason
  readonly connection?: string
  readonly device?: string
  readonly person?: string
  readonly after?: string
}

/** Any word of that form: the list of them loads with the page, and the server refuses an unknown one. */
const readReason = (raw: Readonly<Record<string, unknown>>): SignInReason | undefined => {
  const text = readText(raw, 'reason')
  return text !== undefined && /^[a-z_]{1,40}$/.test(text) ? (text as SignInReason) : undefined
}

export const readSignInFilters = (raw: Readonly<Record<string, unknown>>): SignInFilters =>
  given({
    q: readText(raw, 'q'),
    result: readChoice(raw, 'result', ['Success', 'Fail'] as const),
    status: readChoice(raw, 'status', ['all_good', 'will_block', 'blocked', 'unknown'] as const),
    since: readChoice(raw, 'since', ['24h', '7d', '30d'] as const),
    reason: readReason(raw),
    connection: readId(raw, 'connection'),
    device: readId(raw, 'device'),
    person: readId(raw, 'person'),
    ...readAfter(raw),
  })

export const signInFilterOf = ({ q, status, device, person, reason, connection, result, since }: SignInFilters) =>
  given({
    ...{ search: q, initial_status: status, device_id: device, person_id: person, result, since },
    ...{ failure_reason: reason, connection_id: connection },
  }) as SignInViewFilter

export const signInViewsQuery = (filter: SignInViewFilter, after?: string, per_page = 50) =>
  query('listSignInViews', { query: { ...filter, per_page, cursor: after } }, { pace: 'usual' })
