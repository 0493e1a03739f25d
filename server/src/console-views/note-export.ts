import { type Actor, recordAudit } from '../audit/record-audit.ts'
import type { Subjects } from '../audit/subjects.ts'
import { type Db, transact } from '../db/transact.ts'

type Exporting = {
  readonly db: Db
  readonly organizationId: string
  readonly actor: Actor
  readonly ipAddress: string
  readonly now: string
}

/** Who takes many records out of the service at once is written down: "Exported the audit log as CSV." */
export async function noteExport(
  { db, organizationId, actor, ipAddress, now }: Exporting,
  what: string,
  about: Subjects = {},
): Promise<void> {
  const entry = { organizationId, actor, ipAddress, now, about, description: `Exported ${what} as CSV.` }
  await transact(db, (tx) => recordAudit(tx, entry))
}
