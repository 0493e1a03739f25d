import { createRenderer } from './liquid-engine.ts'
import { type OptionDefinitions, type OptionValues, parseOptions } from './options.ts'
import { TemplateError } from './template-error.ts'

/** What a rationale or fix instruction may name: the check's options and the rows of the issue. */
export type TextScope = {
  options: OptionValues
  /** Failing result rows as the agent sent them; empty when the text is shown without a device. */
  rows: readonly { readonly [column: string]: unknown }[]
}

const maxValueLength = 500

const render = createRenderer({
  tags: ['if', 'unless', 'case', 'for', 'break', 'continue', 'assign', 'comment', '#'],
  keepFilters: [
    ...['size', 'first', 'last', 'map', 'where', 'sort', 'uniq', 'join', 'default', 'upcase', 'downcase', 'truncate'],
    ...['append', 'plus', 'minus', 'times', 'divided_by', 'round'],
  ],
  filters: { code: { handler: toCodeSpan, raw: true } },
  outputEscape: escapeMarkdown,
  maxLength: 20_000,
})

/**
 * Renders a Markdown template over `options` and `rows`. Values are written as plain text, or as a code span with
 * `{{ row.path | code }}`: what a device reports can add words to the text, never a link, an image or HTML.
 * Throws TemplateError naming the line.
 */
export function renderText(template: string, scope: TextScope, allowance?: TextAllowance): string {
  const spend = allowance && ((operations: number) => allowance.spend(operations))
  const text = render(template, { options: scope.options, rows: scope.rows }, spend)
  allowance?.take(text)
  return text
}

/** What one request may render of many records: as much as a few large templates take, some tens of milliseconds. */
export class TextAllowance {
  #operations = 50_000
  #characters = 2_000_000

  spend(operations: number): void {
    this.#operations -= operations
  }

  take({ length }: string): void {
    this.#characters -= length
  }

  isSpent(): boolean {
    return this.#operations <= 0 || this.#characters <= 0
  }
}

/** The text, or null where there is none or where its template cannot be rendered. */
function textOrNull(template: string, scope: TextScope, allowance?: TextAllowance): string | null {
  if (template.trim() === '') return null
  try {
    return renderText(template, scope, allowance)
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

/** What people read of a check: with the options as they are set, and with the rows that failed. */
export function ownerTexts(
  templates: { rationale_template: string; fix_instructions_template: string },
  { definitions, values, rows }: { definitions: OptionDefinitions; values: unknown; rows: TextScope['rows'] },
  allowance?: TextAllowance,
): { rationale: string | null; fix_instructions: string | null } {
  const parsed = parseOptions(definitions, values)
  const scope = { options: 'ok' in parsed ? parsed.ok : {}, rows }
  return {
    rationale: textOrNull(templates.rationale_template, scope, allowance),
    fix_instructions: textOrNull(templates.fix_instructions_template, scope, allowance),
  }
}

function escapeMarkdown(value: unknown): string {
  return toLine(value).replace(/[!#$&()*+\-.:;<=>@[\\\]^_`{|}~]/g, '\\$&')
}

/** CommonMark §6.1: the fence is longer than every run of backticks inside. */
function toCodeSpan(value: unknown): string {
  const text = toLine(value)
  if (text.trim() === '') return ''
  const maxRun = (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
  const fence = '`'.repeat(maxRun + 1)
  const padding = /^[` ]|[` ]$/.test(text) ? ' ' : ''
  return `${fence}${padding}${text}${padding}${fence}`
}

/** A line end could open a new block, so a value stays on its line; objects have no text. */
function toLine(value: unknown): string {
  if (Array.isArray(value)) return shorten(joined(value))
  if (value === null || value === undefined || typeof value === 'object') return ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return shorten(String(value)).replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ')
}

/** The beginning of a list, a little longer than what is shown of it. */
function joined(list: readonly unknown[]): string {
  let text = ''
  for (const [index, entry] of list.entries()) {
    if (text.length > maxValueLength) return text
    text += `${index === 0 ? '' : ', '}${toLine(entry)}`
  }
  return text
}

function shorten(text: string): string {
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength).toWellFormed()}…` : text
}
