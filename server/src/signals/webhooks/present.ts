import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { maskHeaders } from './custom-headers.ts'
import type { CustomHeaders } from './endpoint-secret.ts'
import type { EndpointRecord } from './queries.ts'
import { overlaps } from './rules.ts'

export type Presenting = {
  /** In clear; only their names are shown. */
  headersOf: (endpoint: EndpointRecord) => CustomHeaders
  now: string
}

/** The record of an endpoint; `secret` only in the answers that make, reveal or roll it. */
export function presentEndpoint(row: EndpointRecord, { headersOf, now }: Presenting, secret?: string): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    enabled: row.disabled_at === null,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
    identifier: row.identifier,
    custom_headers: maskHeaders(headersOf(row)),
    ...(secret !== undefined && { secret }),
    previous_secret_until: overlaps(row, now) ? row.previous_secret_until : null,
    created_at: row.created_at,
    updated_at: row.updated_at,
    health: {
      state: stateOf(row),
      failing_since: row.failing_since,
      last_error: row.last_error,
      last_delivered_at: row.last_delivered_at,
    },
  }
}

function stateOf(row: EndpointRecord): WebhookEndpoint['health']['state'] {
  if (row.disabled_at !== null) return 'stopped'
  return row.failing_since === null ? 'ok' : 'failing'
}
