import type { Db } from '../../../base/db/transact.ts'
import { dayMs, hourMs } from '../../../base/time.ts'
import { dropOldDeliveries } from '../../webhook-ledger/retention/drop-deliveries.ts'
import { failStaleDeliveries } from '../../webhook-ledger/retention/fail-stale-deliveries.ts'
import { dropDeletedEndpoints } from './drop-deleted-endpoints.ts'
import { forgetPreviousSecrets } from './forget-previous-secrets.ts'

/** Longer than all attempts take: whatever waits for so long waits for a disabled endpoint. */
const waitsMs = 30 * dayMs
/** No transaction that saw the endpoint before its deletion is still open after it. */
const deletedKeptMs = hourMs

const before = (now: string, ms: number): string => new Date(Date.parse(now) - ms).toISOString()

/** Gives up what has waited for too long and removes what is kept no longer. */
export async function runWebhookRetention(db: Db, now: string): Promise<void> {
  await failStaleDeliveries(db, before(now, waitsMs), 'It waited for 30 days', now)
  await dropOldDeliveries(db, now)
  await forgetPreviousSecrets(db, now)
  await dropDeletedEndpoints(db, before(now, deletedKeptMs))
}
