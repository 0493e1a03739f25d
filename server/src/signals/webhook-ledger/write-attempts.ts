import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

/** What came of one attempt, and of its delivery by it. */
export type AttemptOutcome = {
  organizationId: string
  endpointId: string
  deliveryId: string
  state: 'pending' | 'delivered' | 'failed'
  nextAttemptAt: string | null
  /** Ahead of its time: it does not use up the schedule. */
  isExtra: boolean
  attemptedAt: string
  requestHeaders: Readonly<Record<string, string>>
  status: number | null
  error: string | null
  /** The beginning of the answer. */
  response: string | null
  dnsMs: number
  connectMs: number
  tlsMs: number
  firstByteMs: number
  totalMs: number
}

/** What the view of the log says of a delivery anyway. */
const isRepeatedByLog = new Set(['webhook-id', 'webhook-timestamp', 'x-service-webhook-identifier'])

function headersToWrite({ state, requestHeaders }: AttemptOutcome): string {
  if (state !== 'delivered') return JSON.stringify(requestHeaders)
  return JSON.stringify(
    Object.fromEntries(Object.entries(requestHeaders).filter(([name]) => !isRepeatedByLog.has(name))),
  )
}

/**
 * Writes attempts into the log, in one statement, which needs no transaction: the one that delivers into the row of its
 * delivery, others into rows of their own. What was settled otherwise meanwhile, or is gone, stays as it is.
 */
export async function writeAttempts(db: Db, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const column = <Name extends keyof AttemptOutcome>(name: Name) => outcomes.map((outcome) => outcome[name])
  const ofDelivering = (name: string) =>
    sql`case when outcome.state = 'delivered' then ${sql.ref(`outcome.${name}`)} end`
  await sql`
    with outcome as (
      select * from unnest(
        ${column('organizationId')}::bigint[], ${column('endpointId')}::bigint[], ${column('deliveryId')}::bigint[],
        ${column('state')}::text[], ${column('nextAttemptAt')}::timestamptz[], ${column('isExtra')}::boolean[],
        ${column('attemptedAt')}::timestamptz[], ${outcomes.map(headersToWrite)}::jsonb[],
        ${column('status')}::integer[], ${column('error')}::text[], ${column('response')}::text[],
        ${column('dnsMs')}::real[], ${column('connectMs')}::real[], ${column('tlsMs')}::real[],
        ${column('firstByteMs')}::real[], ${column('totalMs')}::real[]
      ) as outcome (organization_id, endpoint_id, delivery_id, state, next_attempt_at, is_extra, attempted_at,
        request_headers, status, error, response, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms)
    ), written as (
      update webhook_deliveries as delivery
      set state = outcome.state, attempts = delivery.attempts + 1,
        extra_attempts = delivery.extra_attempts + outcome.is_extra::integer,
        next_attempt_at = outcome.next_attempt_at,
        settled_at = case when outcome.state <> 'pending'
          then outcome.attempted_at + outcome.total_ms * interval '1 millisecond' end,
        last_status = outcome.status, last_error = outcome.error,
        attempted_at = ${ofDelivering('attempted_at')}, request_headers = ${ofDelivering('request_headers')},
        response = ${ofDelivering('response')}, dns_ms = ${ofDelivering('dns_ms')},
        connect_ms = ${ofDelivering('connect_ms')}, tls_ms = ${ofDelivering('tls_ms')},
        first_byte_ms = ${ofDelivering('first_byte_ms')}, total_ms = ${ofDelivering('total_ms')}
      from outcome
      where delivery.organization_id = outcome.organization_id and delivery.endpoint_id = outcome.endpoint_id
        and delivery.id = outcome.delivery_id
        and (delivery.state = 'pending' or (delivery.state = 'failed' and outcome.state = 'delivered'))
      returning delivery.organization_id, delivery.endpoint_id, delivery.id
    )
    insert into webhook_attempts (organization_id, endpoint_id, delivery_id, attempted_at, request_headers, status,
      error, response, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms)
    select outcome.organization_id, outcome.endpoint_id, outcome.delivery_id, outcome.attempted_at,
      outcome.request_headers, outcome.status, outcome.error, outcome.response, outcome.dns_ms, outcome.connect_ms,
      outcome.tls_ms, outcome.first_byte_ms, outcome.total_ms
    from outcome join written
      on written.organization_id = outcome.organization_id and written.endpoint_id = outcome.endpoint_id
      and written.id = outcome.delivery_id
    where outcome.state <> 'delivered'
  `.execute(db)
}
