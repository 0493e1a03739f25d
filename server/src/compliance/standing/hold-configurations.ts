import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'

const keyOf = (organizationId: string) => `configurations of ${organizationId}`

/**
 * Keeps the check configurations of an organization unchanged until the transaction ends. Other transactions may hold them
 * too. For applying them to what a recomputation cannot see yet, because it commits with this
 * transaction: an issue, a device. Take it before they are read and, where possible, before devices are locked.
 */
export async function holdConfigurations(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${keyOf(organizationId)}, 0))`.execute(tx)
}

/** Waits until nobody holds the configurations and keeps them from being held until the transaction ends. */
export async function takeConfigurations(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${keyOf(organizationId)}, 0))`.execute(tx)
}
