import { inspectOsquerySql } from '../../base/osquery-sql/inspect-osquery-sql.ts'
import { statusColumn } from '../../compliance/standing/rules.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { TemplateError } from '../../compliance/templates/template-error.ts'
import type { DraftFields } from './draft-fields.ts'
import { isBlank, isOneLine, type Section, sectionOf } from './section.ts'

/** Tables that read what no check needs: the web, the environment of processes, what people typed, whole files. */
const blockedTables = new Set(['curl', 'process_envs', 'shell_history', 'carves'])

/** An external check needs no SQL: what others report is judged when it arrives. */
export function judgeSql(fields: DraftFields): Section {
  const { check_type: type, osquery_sql: template, primary_key_column: key } = fields
  const missing: string[] = []
  if (type === 'osquery' && isBlank(template)) missing.push('osquery_sql')
  if (fields.requires_primary_key && isBlank(key)) missing.push('primary_key_column')
  const faults: string[] = []
  if (!isOneLine(key)) faults.push('primary_key_column has control characters')
  if (key === statusColumn) faults.push(`primary_key_column must not be ${statusColumn}`)
  if (type === 'osquery' && !isBlank(template)) faults.push(...sqlFaults(fields))
  return sectionOf(missing, faults)
}

function sqlFaults({ osquery_sql, option_definitions, requires_primary_key, primary_key_column }: DraftFields) {
  const rendered = rendering(osquery_sql, option_definitions)
  if ('fault' in rendered) return [`osquery_sql: ${rendered.fault}`]
  const inspection = inspectOsquerySql(rendered.sql)
  if (inspection.kind === 'refused') return [`osquery_sql: ${inspection.message}`]
  const { tables, columns } = inspection
  const blocked = tables.filter((table) => blockedTables.has(table.toLowerCase()))
  const needed =
    requires_primary_key && !isBlank(primary_key_column) ? [statusColumn, primary_key_column] : [statusColumn]
  // A star may bring any column but the one that no table has.
  const absent = columns
    ? needed.filter((column) => !columns.includes(column))
    : [statusColumn].filter((column) => !rendered.sql.includes(column))
  return [
    ...blocked.map((table) => `osquery_sql reads ${table}, which checks must not`),
    ...absent.map((column) => `osquery_sql gives no column ${column}`),
  ]
}

function rendering(template: string, definitions: DraftFields['option_definitions']) {
  try {
    return { sql: renderSql(template, definitions, {}) }
  } catch (error) {
    if (error instanceof TemplateError) return { fault: error.message }
    throw error
  }
}
