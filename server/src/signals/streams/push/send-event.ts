import type { Outbound, PostOutcome } from '../../../base/outbound/outbound.ts'
import type { IssuedEvent } from '../issue-tokens.ts'

export type Destination = { url: string; authorization: string | undefined; updatedAt: string }

/** Transmits one token (RFC 8935 §2): the compact form alone, with the configured Authorization or none. */
export const sendEvent = (
  outbound: Outbound,
  { url, authorization }: Destination,
  event: Pick<IssuedEvent, 'token' | 'streamId'>,
  signal: AbortSignal,
): Promise<PostOutcome> =>
  outbound.post({
    url,
    // So that streams to one host do not wait for each other.
    pool: event.streamId,
    headers: {
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
      'user-agent': 'Muster',
      ...(authorization !== undefined && { authorization }),
    },
    body: event.token,
    signal,
  })
