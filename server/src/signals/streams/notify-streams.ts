import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'
import { signalChannel } from './queue-signals.ts'

/** Tells deliverers and held polls, at the commit, to look at an organization's streams again. */
export async function notifyStreams(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_notify(${signalChannel}, ${organizationId})`.execute(tx)
}
