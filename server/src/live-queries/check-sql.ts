import { fail } from '../base/errors.ts'
import { inspectOsquerySql } from '../base/osquery-sql/inspect-osquery-sql.ts'

/** The tables that the SQL reads. Fails with invalid for SQL that is none, or that reads a blocked table. */
export function checkSql(sql: string, blockedTables: readonly string[]): string[] {
  const inspected = inspectOsquerySql(sql)
  if (inspected.kind === 'refused') return fail('invalid', { errors: [{ field: 'sql', message: inspected.message }] })
  const blocked = inspected.tables.filter((table) => blockedTables.includes(table))
  if (blocked.length > 0) {
    const names = blocked.map((table) => `"${table}"`).join(', ')
    fail('invalid', { errors: [{ field: 'sql', message: `reads ${names}, which live queries may not read here` }] })
  }
  return inspected.tables
}
