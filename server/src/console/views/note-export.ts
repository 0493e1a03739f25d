import type { ChangeContext } from '../../base/change-context.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import type { CsvColumns } from '../../base/lists/csv-columns.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import type { Subjects } from '../../signals/audit/subjects.ts'

type Exporting = {
  readonly db: Db
  readonly context: ChangeContext
}

/** Who takes many records out of the service at once is written down: "Exported the audit log as CSV." */
export async function noteExport({ db, context }: Exporting, what: string, about: Subjects = {}): Promise<void> {
  const entry = { action: 'records.exported', about, description: `Exported ${what} as CSV.` } as const
  await transact(db, (tx) => recordAudit(tx, entry, context))
}

/** The file of a list that has the same columns for every caller; `what` names it in the audit log. */
export const csvOf = <Row>(fileName: string, columns: CsvColumns<Row>, what = fileName.replaceAll('-', ' ')) => ({
  fileName,
  begin: async (call: Exporting): Promise<CsvColumns<Row>> => {
    await noteExport(call, what)
    return columns
  },
})
