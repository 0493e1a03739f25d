import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { query } from '../api/query.ts'
import type { SentRange } from '../developers/range-dialog.tsx'

export const streamsQuery = (after: string | undefined) =>
  query('listSsfStreams', { query: { per_page: 50, cursor: after } }, { pace: 'soon' })

export const streamQuery = (streamId: string) => query('getSsfStream', { params: { streamId } }, { pace: 'soon' })

export const streamViewQuery = (streamId: string) =>
  query('getStreamView', { params: { streamId } }, { pace: 'watched' })

export type EventFilters = {
  readonly state?: SsfStreamEvent['state']
  readonly kind?: SsfStreamEvent['kind']
  readonly q?: string
  /** Only what has this cause, which was queued at `around`. */
  readonly txn?: string
  readonly around?: string
  readonly after?: string
  /** The event that is open beside the list. */
  readonly event?: string
}

export const streamEventsQuery = (streamId: string, { q, after, event: _, ...filters }: EventFilters) =>
  query(
    'listStreamEventViews',
    { params: { streamId }, query: { ...filters, search: q, per_page: 50, cursor: after } },
    { pace: 'watched' },
  )

export type ReplayRange = SentRange<'acknowledged' | 'delivered' | 'expired' | 'rejected'>

/** What the receiver verifies tokens with, and every key that they may be signed with. */
export const streamIssuerQuery = (streamId: string) =>
  query('getSsfStreamIssuer', { params: { streamId } }, { staleTime: 60_000 })
