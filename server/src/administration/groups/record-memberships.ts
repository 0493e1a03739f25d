import type { AuditAction } from '@muster/contract/audit-actions.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { quoteNames } from './quote-names.ts'

const namesInOneEntry = 200

/** Writes down who joined or left a group, in as many entries as their names need. */
export async function recordMemberships(
  tx: Tx,
  members: readonly { readonly id: string; readonly name: string }[],
  sentence: (people: string) => string,
  { personGroupId, action }: { personGroupId: string; action: AuditAction },
  context: ChangeContext,
): Promise<void> {
  for (let start = 0; start < members.length; start += namesInOneEntry) {
    const told = members.slice(start, start + namesInOneEntry)
    const about = { person_group: personGroupId, person: told.map(({ id }) => id) }
    const description = sentence(quoteNames(told.map(({ name }) => name)))
    await recordAudit(tx, { action, about, description }, context)
  }
}
