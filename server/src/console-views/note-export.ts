import { recordAudit } from '../audit/record-audit.ts'
import type { Subjects } from '../audit/subjects.ts'
import { transact } from '../db/transact.ts'
import type { CsvCall } from '../http/csv-endpoint.ts'

/** Who takes many records out of the service at once is written down: "Exported the audit log as CSV." */
export async function noteExport(
  { db, organizationId, actor, ipAddress, now }: CsvCall<string>,
  what: string,
  about: Subjects = {},
): Promise<void> {
  const entry = { organizationId, actor, ipAddress, now, about, description: `Exported ${what} as CSV.` }
  await transact(db, (tx) => recordAudit(tx, entry))
}
