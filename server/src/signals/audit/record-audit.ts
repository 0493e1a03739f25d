import { createHash } from 'node:crypto'
import type { AuditAction } from '@muster/contract/audit-actions.ts'
import type { AuditChange } from '@muster/contract/audit-changes.ts'
import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { queueWebhooks } from '../webhook-ledger/queue-webhooks.ts'
import { storableChanges } from './changes.ts'
import { hashEntry } from './hash-entry.ts'
import { type Subjects, subjectKeys } from './subjects.ts'

export type AuditEntry = {
  /** The record and what happened to it, for programs: `api_key.revealed`. */
  action: AuditAction
  about: Subjects
  /** One sentence in the past tense, with names in quotes. */
  description: string
  /** Values before and after, by the names that the API has for them. Never of a secret. */
  changes?: readonly AuditChange[]
}

/** Where every organization's chain of hashes begins. */
export const firstHash = createHash('sha256').update('muster audit log').digest()

/**
 * Writes an entry in the transaction of the change that it describes. The organization's head row is locked until the
 * commit, so that entries are numbered and chained in one order; take it late in the transaction.
 */
export async function recordAudit(
  tx: Tx,
  { action, about, description, changes = [] }: AuditEntry,
  { organizationId, actor, now, cause, requestId }: ChangeContext,
): Promise<void> {
  const { previousHash, id } = await lockHead(tx, organizationId)
  const entry = {
    id,
    organization_id: organizationId,
    timestamp: now,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name.toWellFormed(),
    actor_email: actor.email,
    ip_address: actor.source?.ipAddress ?? null,
    description: description.toWellFormed(),
    about: subjectKeys(about),
    action,
    changes: changes.length > 0 ? storableChanges(changes) : null,
    cause,
    request_id: requestId,
  }
  const hash = hashEntry(previousHash, entry)
  await tx
    .with('written', (build) =>
      build.insertInto('audit_logs').values({
        ...entry,
        changes: entry.changes && JSON.stringify(entry.changes),
        previous_hash: previousHash,
        hash,
      }),
    )
    .updateTable('audit_heads')
    .set({ last_id: id, last_hash: hash })
    .where(inOrganization('audit_heads', organizationId))
    .execute()
  const { actor_name, actor_type, actor_email, ip_address } = entry
  const data = { actor_name, actor_type, actor_email, ip_address, action, description: entry.description }
  const message = { event: 'audit_log.recorded', data, deviceId: null, orderedBy: null, cause, at: now } as const
  await queueWebhooks(tx, organizationId, [message])
}

/** The next identifier is taken once the lock is held, so that identifiers have the order of the chain. */
async function lockHead(tx: Tx, organizationId: string): Promise<{ previousHash: Buffer; id: string }> {
  const { last_hash, next_id } = await tx
    .insertInto('audit_heads')
    .values({ organization_id: organizationId, last_id: '0', last_hash: firstHash })
    // Writes nothing new: an update takes the row's lock and returns the row, which `do nothing` would not.
    .onConflict((conflict) =>
      conflict.constraint('audit_heads_pkey').doUpdateSet((row) => ({ last_id: row.ref('audit_heads.last_id') })),
    )
    .returning(['last_hash', sql<string>`nextval(pg_get_serial_sequence('audit_logs', 'id'))`.as('next_id')])
    .executeTakeFirstOrThrow()
  return { previousHash: last_hash, id: next_id }
}
