import { sql } from 'kysely'
import type { Db } from '../../../src/base/db/transact.ts'
import type { Secrets } from '../../../src/base/secrets/secrets.ts'
import { ledgerPages } from '../../support/event-tokens.ts'
import { digestOf, type ReceiverLog } from './arrival.ts'
import { checkLog, type LedgerEvent, type LogCounts } from './check-log.ts'
import { txnOf } from './device-histories.ts'

type Place = { db: Db; secrets: Secrets; organizationId: string }

/** What of the logs is against the guarantees, and how much of everything there was, by their kind. */
export async function checkLogs(place: Place, logs: readonly ReceiverLog[], histories: ReadonlyMap<string, number>) {
  const changes = [...histories].flatMap(([deviceId, steps]) =>
    Array.from({ length: steps }, (_, index) => txnOf(deviceId, index + 1)),
  )
  const faults: string[] = []
  const counts = { changes: changes.length, push: none(), poll: none(), hook: none() }
  for (const log of logs) {
    const checked = checkLog(log, await (log.kind === 'hook' ? readDeliveries : readLedger)(place, log.id), changes)
    faults.push(...checked.faults)
    counts[log.kind] = sum(counts[log.kind], checked.counts)
  }
  return { faults, counts }
}

const none = (): LogCounts => ({ events: 0, sends: 0, refused: 0, rejected: 0, afterCut: 0, afterAnswer: 0 })

const sum = (one: LogCounts, other: LogCounts): LogCounts => ({
  events: one.events + other.events,
  sends: one.sends + other.sends,
  refused: one.refused + other.refused,
  rejected: one.rejected + other.rejected,
  afterCut: one.afterCut + other.afterCut,
  afterAnswer: one.afterAnswer + other.afterAnswer,
})

/** A page at a time: no statement may take as long as all of an hour's would. */
async function readLedger({ db, secrets, organizationId }: Place, streamId: string): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = []
  for await (const rows of ledgerPages(db, secrets, { organizationId, streamId })) {
    const changes = rows.filter(({ kind }) => kind === 'compliance_change')
    events.push(...changes.map(({ jti, state, token, txn }) => ({ jti, state, txn, digest: digestOf(token ?? '') })))
  }
  return events
}

/** The same of an endpoint of webhooks. */
async function readDeliveries({ db, organizationId }: Place, endpointId: string): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = []
  for (let after = '0'; ; ) {
    const { rows } = await sql<DeliveryRow>`
      select delivery.id, delivery.state, delivery.attempts, message.message_id as jti, message.body, array(
        select attempt.status from webhook_attempt_log as attempt
        where attempt.organization_id = delivery.organization_id and attempt.endpoint_id = delivery.endpoint_id
          and attempt.delivery_id = delivery.id
      ) as answers
      from webhook_deliveries as delivery join webhook_messages as message
        on message.organization_id = delivery.organization_id and message.id = delivery.message_id
      where delivery.organization_id = ${organizationId} and delivery.endpoint_id = ${endpointId}
        and delivery.id > ${after}
      order by delivery.id limit 2000`.execute(db)
    events.push(...rows.map(eventOf))
    const last = rows.at(-1)
    if (!last) return events
    after = last.id
  }
}

type DeliveryRow = {
  id: string
  state: string
  attempts: number
  jti: string
  body: string
  answers: (number | null)[]
}

function eventOf({ state, attempts, jti, body, answers }: DeliveryRow): LedgerEvent {
  if (answers.length !== attempts) throw new Error(`${jti} has ${answers.length} of ${attempts} attempts`)
  return { jti, state, digest: digestOf(body), txn: JSON.parse(body).data.device_name, answers }
}
