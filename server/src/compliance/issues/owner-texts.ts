import type { OptionDefinitions } from '../templates/options.ts'
import { ownerTexts, type TextAllowance, type TextScope } from '../templates/render-text.ts'

/** As `textFields` reads them. */
type TextSource = {
  option_definitions: unknown
  options: unknown
  rationale_template: string
  fix_instructions_template: string
}

/**
 * What the owner of a device reads of an issue of it, or of several of one check: Markdown, the same wherever it is shown.
 * Null where there is none, where it cannot be rendered, and once the allowance is spent.
 */
export function ownerTextsOf(source: TextSource, rows: TextScope['rows'], allowance?: TextAllowance) {
  if (allowance?.isSpent()) return { rationale: null, fix_instructions: null }
  const { option_definitions: definitions, options: values } = source
  return ownerTexts(source, { definitions: definitions as OptionDefinitions, values, rows }, allowance)
}
