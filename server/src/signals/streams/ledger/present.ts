import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import type { Links } from '../../../base/links.ts'
import { typeOf } from '../event-types.ts'
import type { LedgerRow, SaidRow } from './queries.ts'

export function presentLedgerRow(row: SaidRow, links: Links): SsfStreamEvent {
  return {
    id: row.id,
    sequence: row.sequence === null ? null : Number(row.sequence),
    jti: row.jti,
    kind: row.kind,
    event_type: typeOf[row.kind],
    subject: { device: links.device(row.device_id), user_email: row.user_email },
    txn: row.txn,
    state: row.state,
    previous_status: statusIn(row.event['previous_status']),
    current_status: statusIn(row.event['current_status']),
    occurred_at: row.occurred_at,
    queued_at: row.queued_at,
    issued_at: row.issued_at,
    settled_at: row.settled_at,
    next_attempt_at: row.next_attempt_at,
    attempts_count: row.attempts,
    attempts: row.latest_attempts,
    error: errorOf(row),
    claims: row.claims,
    token: row.token,
  }
}

const statusIn = (value: unknown) => (value === 'compliant' || value === 'not-compliant' ? value : null)

const errorOf = ({ state, error_code: err, error_description: description }: LedgerRow) =>
  state === 'pending' || (err === null && description === null) ? null : { err, description }
