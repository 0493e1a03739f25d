import { createRenderer } from './liquid-engine.ts'
import { type OptionDefinitions, type OptionValues, parseOptions } from './options.ts'
import { markLiteral, placeLiterals } from './place-literals.ts'
import { integerLiteral, listLiteral, rowsLiteral, textLiteral } from './sql-literal.ts'
import { TemplateError } from './template-error.ts'

const maxSqlLength = 256_000

/** Only the filters below set it: option values come from JSON, which has no symbols. */
const markedSql = Symbol('marked SQL')

const render = createRenderer({
  tags: ['if', 'unless', 'case', 'comment', '#'],
  keepFilters: [],
  filters: {
    sql_text: sqlFilter(textLiteral),
    sql_integer: sqlFilter(integerLiteral),
    sql_list: sqlFilter(listLiteral),
    sql_rows: sqlFilter(rowsLiteral),
  },
  outputEscape: refuseUnfiltered,
  maxLength: 1_000_000,
})

/**
 * The SQL of a check: Liquid over `options`, where `{{ options.name | sql_text }}` (or sql_integer, sql_list,
 * sql_rows: "column", …) is the only way to write a value. Absent options take their defaults.
 * Throws TemplateError naming the line, also for values that do not fit their definitions.
 */
export function renderSql(template: string, definitions: OptionDefinitions, values: OptionValues): string {
  const parsed = parseOptions(definitions, values)
  if ('errors' in parsed) {
    const reasons = parsed.errors.map(({ field, message }) => `${field} ${message}`)
    throw new TemplateError(reasons.join('; '), 1)
  }
  const sql = placeLiterals(render(template, { options: parsed.ok }))
  if (sql.length > maxSqlLength) throw new TemplateError(`the SQL exceeds ${maxSqlLength} characters`, 1)
  return sql
}

type FilterCall = { token: { getPosition(): number[] } }

function sqlFilter(toSql: (value: unknown, ...parameters: unknown[]) => string) {
  return function mark(this: FilterCall, value: unknown, ...parameters: unknown[]) {
    const [line = 1] = this.token.getPosition()
    return { [markedSql]: markLiteral(toSql(value, ...parameters), line) }
  }
}

function refuseUnfiltered(value: unknown): string {
  if (typeof value === 'object' && value !== null && markedSql in value) return String(value[markedSql])
  throw new Error('a value needs one of the filters sql_text, sql_integer, sql_list and sql_rows, as the last one')
}
