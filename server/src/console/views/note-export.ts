import { type Db, transact } from '../../base/db/transact.ts'
import type { CsvColumns } from '../../base/lists/csv-columns.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import type { Subjects } from '../../signals/audit/subjects.ts'

type Exporting = {
  readonly db: Db
  readonly organizationId: string
  readonly actor: Actor
  readonly now: string
}

/** Who takes many records out of the service at once is written down: "Exported the audit log as CSV." */
export async function noteExport(
  { db, organizationId, actor, now }: Exporting,
  what: string,
  about: Subjects = {},
): Promise<void> {
  const entry = { organizationId, actor, now, about, description: `Exported ${what} as CSV.` }
  await transact(db, (tx) => recordAudit(tx, entry))
}

/** For a list that has the same columns whoever asks: notes the export, and answers with them. */
export const noting =
  <Row>(what: string, columns: CsvColumns<Row>) =>
  async (call: Exporting): Promise<CsvColumns<Row>> => {
    await noteExport(call, what)
    return columns
  }
