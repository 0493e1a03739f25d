import { deliveryMethods } from '@muster/contract/delivery-methods.ts'
import type { SsfStream, SsfStreamStatus } from '@muster/contract/ssf-streams.ts'
import { recordAudience } from './audience.ts'
import { complianceChangeType, supportedEvents, verificationType } from './event-types.ts'
import type { Stream, StreamRecord } from './queries.ts'
import { streamIssuer } from './stream-issuer.ts'
import { minVerificationIntervalSeconds } from './verify-stream.ts'

export type Presenting = {
  /** MUSTER_BASE_URL. */
  baseUrl: string
  /** What is sent to the receiver as Authorization, in plain text. */
  authorizationOf: (stream: Stream) => string | null
}

/** The record of a stream; `pollToken` only in the answer that makes it. */
export function presentStream(
  row: StreamRecord,
  { baseUrl: commonBaseUrl, authorizationOf }: Presenting,
  pollToken?: string,
): SsfStream {
  const { issuer, baseUrl } = streamIssuer(row.issuer, commonBaseUrl)
  const delivered = row.events_requested.filter((event) => event === complianceChangeType)
  const authorization = authorizationOf(row)
  return {
    id: row.id,
    iss: issuer,
    stream_id: row.stream_id,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    aud: recordAudience(row, baseUrl),
    delivery_type: row.delivery_type,
    spec_version: row.spec_version,
    enabled: row.status === 'enabled',
    ...(pollToken !== undefined && { poll_bearer_token: pollToken }),
    events_supported: [...supportedEvents],
    events_requested: [...row.events_requested, verificationType],
    events_delivered: [...delivered, verificationType],
    created_at: row.created_at,
    updated_at: row.updated_at,
    delivery: {
      method: deliveryMethods[row.delivery_type],
      endpoint_url: row.endpoint_url ?? `${baseUrl}/ssf_streams/${row.stream_id}/events`,
      ...(authorization !== null && { authorization_header: authorization }),
    },
    ...(authorization !== null && { authorization_header: authorization }),
    min_verification_interval: minVerificationIntervalSeconds,
    device_subject_format: row.device_subject_format,
    health: {
      state: stateOf(row),
      failing_since: row.failing_since,
      last_error: row.failing_since === null ? null : row.last_error,
      last_delivered_at: row.last_delivered_at,
    },
  }
}

function stateOf(row: StreamRecord): SsfStream['health']['state'] {
  if (row.status !== 'enabled') return 'stopped'
  if (row.delivery_type === 'poll') return row.can_be_polled ? 'ok' : 'no_poll_token'
  return row.failing_since === null ? 'ok' : 'failing'
}

export const presentStatus = ({ stream_id, status, status_reason }: Stream): SsfStreamStatus => ({
  stream_id,
  status,
  ...(status_reason !== null && { reason: status_reason }),
})
