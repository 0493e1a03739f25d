import type { Outbound, PostOutcome } from '../../../base/outbound/outbound.ts'
import { headersOf } from '../sign-delivery.ts'
import type { Destination } from './destinations.ts'
import type { Waiting } from './endpoint-queue.ts'

export type Sent = { outcome: PostOutcome; headers: Record<string, string> }

const masked = '********'

/** Sends a message to an endpoint; the headers that it returns may be stored, for they hold no secret. */
export async function sendDelivery(
  outbound: Outbound,
  { destination, endpointId }: { destination: Destination; endpointId: string },
  { messageId, body }: Pick<Waiting, 'messageId' | 'body'>,
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<Sent> {
  const { url, identifier, keys: current, previousKeys, previousUntilMs, custom } = destination
  const previous = nowMs < previousUntilMs ? previousKeys : undefined
  const timestampSeconds = Math.floor(nowMs / 1_000)
  const headers = headersOf({ messageId, body, timestampSeconds, keys: { current, previous }, identifier, custom })
  const outcome = await outbound.post({ url, pool: `webhook ${endpointId}`, headers, body, signal })
  const shown = { ...headers }
  for (const name of Object.keys(custom)) if (shown[name] === custom[name]) shown[name] = masked
  return { outcome, headers: shown }
}
