import { setTimeout as pause } from 'node:timers/promises'
import { webhookDeliverySearch } from '@muster/contract/webhook-deliveries.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { type Db, type Reader, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { linksFor } from '../../base/links.ts'
import { parseDateTime } from '../../base/lists/parse-date-time.ts'
import { parseSearch } from '../../base/lists/parse-search.ts'
import { findDestination } from '../../signals/webhook-ledger/log/find-destination.ts'
import {
  type DeliveryDetails,
  type DeliveryKey,
  type DeliveryRow,
  findDelivery,
  listDeliveries,
} from '../../signals/webhook-ledger/log/queries.ts'
import { presentDelivery } from '../../signals/webhooks/log/present.ts'
import { resendDelivery, resendRange } from '../../signals/webhooks/log/resend-deliveries.ts'
import { sendTest } from '../../signals/webhooks/log/send-test.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns, plainText } from '../table.ts'
import { webhookLogGroup } from './webhook-group.ts'

const heads = ['ID', 'QUEUED', 'EVENT', 'STATE', 'SENT', 'STATUS', 'NEXT ATTEMPT', 'ERROR']

export const webhookLogCommands = implement(webhookLogGroup, {
  async log(
    { connection: { db }, config, now },
    { organization, endpoint, failed = false, last, json: isJson = false },
    io,
  ) {
    const { id: organizationId } = await organizationOf(db, organization)
    const params = { endpointId: endpoint }
    orNotFound(await findDestination(db, { organizationId, ...params }))
    const search = parseSearch(failed ? 'state:failed' : '', webhookDeliverySearch)
    const page = { organizationId, params, search, after: undefined, limit: last, order: 'descending', now } as const
    const rows = await listDeliveries(db, page)
    const links = linksFor(config.baseUrl)
    const lines = isJson
      ? rows.map((row) => JSON.stringify(presentDelivery(row, links)))
      : alignColumns(heads, rows.map(cellsOf))
    for (const line of lines) await io.line(line)
  },

  async test({ connection: { db }, now }, { organization, endpoint: endpointId, event, waitSeconds }, io) {
    const { id: organizationId } = await organizationOf(db, organization)
    const test = { endpointId, message: undefined, event }
    const deliveryId = await transact(db, (tx) => sendTest(tx, test, terminalChange(organizationId, now)))
    const what = event === undefined ? 'a test event' : `an example of ${event}`
    await io.line(`Queued ${what} as delivery ${deliveryId}`)
    const delivery = await awaitAttempt(db, { organizationId, endpointId, deliveryId }, waitSeconds, io.signal)
    await io.line(plainText(describeOutcome(delivery)))
    return delivery.state === 'delivered' ? exitCodes.ok : exitCodes.failure
  },

  async resend({ connection: { db }, now }, { organization, endpoint: endpointId, delivery, failedSince }, io) {
    const { id: organizationId } = await organizationOf(db, organization)
    const context = terminalChange(organizationId, now)
    if (delivery !== undefined && failedSince === undefined) {
      const { id, isNew } = await transact(db, (tx) =>
        resendDelivery(tx, { endpointId, deliveryId: delivery }, context),
      )
      await io.line(
        isNew ? `Queued it again as delivery ${id}` : `Delivery ${id} is sent now, ahead of its next attempt`,
      )
      return 0
    }
    const from = delivery === undefined && failedSince !== undefined ? parseDateTime(failedSince) : undefined
    if (from === undefined) {
      throw new CommandError(
        exitCodes.usage,
        'error: say either --delivery <id> or --failed-since <time>, such as 2026-11-20 or 2026-11-20T09:00:00Z',
      )
    }
    const count = await resendFailed(db, endpointId, from, context)
    await io.line(`Queued ${count} ${count === 1 ? 'delivery' : 'deliveries'} again`)
    return 0
  },
})

const cellsOf = (row: DeliveryRow) => [
  row.id,
  row.queued_at,
  row.event,
  row.state,
  String(row.attempts),
  row.last_status === null ? null : String(row.last_status),
  row.next_attempt_at,
  row.last_error,
]

const lookEveryMs = 200

async function awaitAttempt(
  reader: Reader,
  key: DeliveryKey,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<DeliveryDetails> {
  const endsAt = performance.now() + waitSeconds * 1_000
  for (;;) {
    const delivery = orNotFound(await findDelivery(reader, key))
    if (delivery.latest_attempts.length > 0 || performance.now() >= endsAt || signal.aborted) return delivery
    await pause(lookEveryMs, undefined, { signal }).catch(() => {})
  }
}

function describeOutcome({ state, latest_attempts: [attempt], last_error, next_attempt_at }: DeliveryDetails): string {
  if (!attempt) return 'It was not sent yet: a worker sends it, as in `muster start`, `muster serve` or `muster worker`'
  const status = attempt.status === null ? 'no answer' : `answered ${attempt.status}`
  const took = `after ${Math.round(attempt.timings.total_ms)} ms`
  if (state === 'delivered') return `Delivered: ${status} ${took}`
  const next = next_attempt_at === null ? '' : `; the next attempt is due at ${next_attempt_at}`
  return `Not delivered: ${status} ${took} (${last_error ?? 'no reason given'})${next}`
}

/** All of them, one transaction for each 10,000. */
async function resendFailed(db: Db, endpointId: string, from: string, context: ChangeContext): Promise<number> {
  const range = { from, to: context.now, states: ['failed'] } as const
  let resent = 0
  for (let afterId = '0'; ; ) {
    const part = { ...range, afterId }
    const { count, goOnAfter } = await transact(db, (tx) => resendRange(tx, { endpointId, range: part }, context))
    resent += count
    if (goOnAfter === null) return resent
    afterId = goOnAfter
  }
}
