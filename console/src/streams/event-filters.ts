import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { given, keysOf, readAfter, readChoice, readId, readText, sentenceOf } from '../components/read-filters.ts'
import type { EventFilters } from './stream-queries.ts'

export const eventStates: Readonly<Record<SsfStreamEvent['state'], string>> = {
  pending: 'Pending',
  delivered: 'Accepted',
  acknowledged: 'Acknowledged',
  rejected: 'Rejected',
  expired: 'Expired',
}

export const eventKinds: Readonly<Record<SsfStreamEvent['kind'], string>> = {
  compliance_change: 'Compliance change',
  verification: 'Verification',
  stream_updated: 'Stream updated',
  test: 'Test',
}

const isTime = (value: string | undefined): value is string =>
  value !== undefined && !Number.isNaN(new Date(value).getTime())

/** The filters of an address; what they cannot mean is dropped. */
export function readEventFilters(raw: Readonly<Record<string, unknown>>): EventFilters {
  const [txn, around] = [readText(raw, 'txn', 100), readText(raw, 'around', 40)]
  return given({
    state: readChoice(raw, 'state', keysOf(eventStates)),
    kind: readChoice(raw, 'kind', keysOf(eventKinds)),
    q: readText(raw, 'q'),
    ...(txn !== undefined && isTime(around) && { txn, around }),
    event: readId(raw, 'event'),
    ...readAfter(raw),
  })
}

/** The filters in words, for when nothing is found. */
export const eventFiltersInWords = ({ state, kind, q, txn }: EventFilters): string =>
  sentenceOf([
    kind && `the event is “${eventKinds[kind]}”`,
    state && `it is “${eventStates[state]}”`,
    q && `text contains “${q}”`,
    txn && 'it has the same cause',
  ])
