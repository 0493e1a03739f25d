import { type AuditEntry, recordAudit } from '../audit/record-audit.ts'
import type { Tx } from '../db/transact.ts'
import { quoteNames } from './quote-names.ts'

const namesInOneEntry = 200

/** Writes down who joined or left a group, in as many entries as their names need. */
export async function recordMemberships(
  tx: Tx,
  names: readonly string[],
  sentence: (people: string) => string,
  { organizationId, actor, ipAddress, now }: Omit<AuditEntry, 'description'>,
): Promise<void> {
  for (let start = 0; start < names.length; start += namesInOneEntry) {
    const description = sentence(quoteNames(names.slice(start, start + namesInOneEntry)))
    await recordAudit(tx, { organizationId, actor, ipAddress, description, now })
  }
}
