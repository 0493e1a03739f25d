import type { Reader } from '../base/db/transact.ts'
import { fail, orNotFound } from '../base/errors.ts'
import type { ListPage } from '../base/lists/list-page.ts'
import { findReportingTable } from './catalogue/catalogue.ts'
import { presentInventoryRow } from './present.ts'
import { listInventoryRows } from './record-queries.ts'
import { type ReportingTable, searchFieldOf, type TableRecord } from './reporting-table.ts'

/** A page of any reporting table, in the order of the records' identifiers. Fails for an unknown table. */
export async function listTableRecords(
  reader: Reader,
  page: ListPage<{ readonly tableName: string }>,
): Promise<TableRecord[]> {
  const table = orNotFound(findReportingTable(page.params.tableName))
  refuseForeignFields(table, page)
  if (table.kind === 'view') return table.list(reader, page)
  const rows = await listInventoryRows(reader, table.name, page)
  return rows.map((row) => presentInventoryRow(table, row))
}

/** The search was parsed against the fields of all tables. */
function refuseForeignFields(table: ReportingTable, { search = [] }: Pick<ListPage, 'search'>): void {
  const searchable = searchFieldOf(table)
  const foreign = search.flat().find(({ field }) => field !== searchable)
  if (!foreign) return
  const message = `Unknown search field "${foreign.field}"; searchable here: ${searchable}`
  fail('search_invalid', { message, errors: [{ field: 'query', message }] })
}
