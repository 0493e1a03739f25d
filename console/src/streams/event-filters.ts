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

/** The filters of an address; what they cannot mean is dropped. */
export function readEventFilters(raw: Readonly<Record<string, unknown>>): EventFilters {
  const state = keyOf(eventStates, raw['state'])
  const kind = keyOf(eventKinds, raw['kind'])
  const { after, event } = raw
  return {
    ...(state && { state }),
    ...(kind && { kind }),
    ...(typeof after === 'string' && after !== '' && { after }),
    ...(typeof event === 'string' && /^\d{1,19}$/.test(event) && { event }),
  }
}
