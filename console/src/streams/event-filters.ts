import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import type { EventFilters } from './stream-queries.ts'

export const eventStates: Readonly<Record<SsfStreamEvent['state'], string>> = {
  pending: 'Waiting',
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

const keyOf = <Name extends string>(names: Readonly<Record<Name, string>>, value: unknown): Name | undefined =>
  (Object.keys(names) as Name[]).find((name) => name === value)

const text = (value: unknown, longest: number): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined

const isTime = (value: string | undefined): value is string =>
  value !== undefined && !Number.isNaN(new Date(value).getTime())

/** The filters of an address; what they cannot mean is dropped. */
export function readEventFilters(raw: Readonly<Record<string, unknown>>): EventFilters {
  const state = keyOf(eventStates, raw['state'])
  const kind = keyOf(eventKinds, raw['kind'])
  const [q, txn, after, around] = [text(raw['q'], 200), text(raw['txn'], 100), text(raw['after'], 2_000), raw['around']]
  const moment = text(around, 40)
  const { event } = raw
  return {
    ...(state && { state }),
    ...(kind && { kind }),
    ...(q !== undefined && { q }),
    ...(txn !== undefined && isTime(moment) && { txn, around: moment }),
    ...(after !== undefined && { after }),
    ...(typeof event === 'string' && /^\d{1,19}$/.test(event) && { event }),
  }
}

/** The filters in words, for when nothing is found. */
export function eventFiltersInWords({ state, kind, q, txn }: EventFilters): string {
  const words = [
    kind && `the event is “${eventKinds[kind]}”`,
    state && `it is “${eventStates[state]}”`,
    q && `something holds “${q}”`,
    txn && 'it has the same cause',
  ].filter(Boolean)
  const sentence = words.join(', and ')
  return sentence === '' ? '' : `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`
}
