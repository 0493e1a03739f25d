import { signInReasonNames } from '@muster/contract/sign-in-reasons.ts'
import type { Selectable } from 'kysely'
import { Counter } from 'prom-client'
import type { ChangeOrigin } from '../../base/change-context.ts'
import type { Database } from '../../base/db/schema.ts'
import { afterCommit, type Tx } from '../../base/db/transact.ts'
import { announce } from '../../signals/events/announce.ts'
import { type EndedAuthLog, newsOfAuthLog } from './news-of-auth-log.ts'

/** In no registry: the process that serves metrics registers it. */
export const signInCounter = new Counter({
  name: 'muster_sign_ins_total',
  help: 'Sign-ins that ended, by outcome: success, failure; and by the reason of the failure, as sign-in logs have it.',
  labelNames: ['outcome', 'reason'] as const,
  registers: [],
})

signInCounter.inc({ outcome: 'success', reason: '' }, 0)
for (const reason of signInReasonNames) signInCounter.inc({ outcome: 'failure', reason }, 0)

type Ended = EndedAuthLog & Pick<Selectable<Database['auth_logs']>, 'failure_reason'>

/** Tells the outside of logs that have ended, and counts them. */
export async function announceEnds(
  tx: Tx,
  outcome: 'success' | 'failure',
  logs: readonly Ended[],
  change: Pick<ChangeOrigin, 'cause' | 'now'>,
): Promise<void> {
  await announce(
    tx,
    logs.map((log) => newsOfAuthLog(`auth_logs.${outcome}`, log, change)),
  )
  afterCommit(tx, () => {
    for (const { failure_reason: reason } of logs) {
      signInCounter.inc({ outcome, reason: outcome === 'success' ? '' : (reason ?? 'abandoned') })
    }
  })
}
