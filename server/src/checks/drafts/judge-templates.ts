import { type OptionValues, parseOptions } from '../../compliance/templates/options.ts'
import { findRawHtml } from '../../compliance/templates/raw-html.ts'
import { renderText, type TextScope } from '../../compliance/templates/render-text.ts'
import { TemplateError } from '../../compliance/templates/template-error.ts'
import type { DraftFields } from './draft-fields.ts'
import { isBlank, isOneLine, readExampleRows, type Section, sectionOf } from './section.ts'

export function judgeTemplates(fields: DraftFields): Section {
  const { issue_title, rationale_template, fix_instructions_template } = fields
  const missing = Object.entries({ issue_title, rationale_template, fix_instructions_template })
    .filter(([, text]) => isBlank(text))
    .map(([field]) => field)
  const faults: string[] = []
  if (!isOneLine(issue_title)) faults.push('issue_title has control characters')
  if (/\{\{|\{%/.test(issue_title)) faults.push('issue_title is shown as it is: Liquid does nothing there')
  const examples = readExampleRows(fields.template_data_examples)
  if ('fault' in examples) faults.push(`template_data_examples ${examples.fault}`)
  const rows = 'rows' in examples ? examples.rows : []
  const options = defaultsOf(fields)
  for (const [field, template] of Object.entries({ rationale_template, fix_instructions_template })) {
    const fault = templateFault(template, options, rows)
    if (fault !== undefined) faults.push(`${field}: ${fault}`)
  }
  return sectionOf(missing, faults)
}

function defaultsOf({ option_definitions }: DraftFields): OptionValues {
  const defaults = parseOptions(option_definitions, {})
  return 'ok' in defaults ? defaults.ok : {}
}

/** A text is shown without a device as well, when there are no rows. */
function templateFault(template: string, options: OptionValues, rows: TextScope['rows']): string | undefined {
  const html = findRawHtml(template)
  if (html !== undefined) return `must not have HTML such as ${html}`
  const scopes: [when: string, rows: TextScope['rows']][] = [['without rows', []]]
  if (rows.length > 0) scopes.push(['with template_data_examples', rows])
  for (const [when, some] of scopes) {
    try {
      renderText(template, { options, rows: some })
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      return `${error.message} (${when})`
    }
  }
  return undefined
}
