import type { Reader } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { OptionDefinitions } from '../../compliance/templates/options.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { ownerTexts } from '../../compliance/templates/render-text.ts'
import { TemplateError } from '../../compliance/templates/template-error.ts'
import { type DraftFields, fieldsOf, readDraftFields } from './draft-fields.ts'
import { type DraftRow, findDraft, findJudgement } from './queries.ts'
import { isBlank, readExampleRows, type Section } from './section.ts'
import { judgeSections, type SectionName, statusColumns } from './sections.ts'
import { sectionsAround } from './standing.ts'

export type DraftJudgement = {
  sections: Record<SectionName, Section>
  /** With the default options, and the example rows; null where it cannot be made, which a section says. */
  sql: string | null
  rationale: string | null
  fix_instructions: string | null
}

// Written through readOptionDefinitions.
const fieldsOfRow = (row: DraftRow): DraftFields =>
  fieldsOf({ ...row, option_definitions: row.option_definitions as OptionDefinitions })

/** What a stored draft lacks and how its texts come out, with these fields instead of its own. Fails with invalid. */
export async function judgeUnsavedDraft(
  reader: Reader,
  { organizationId, draftId, input }: { organizationId: string; draftId: string; input: unknown },
): Promise<DraftJudgement> {
  const row = orNotFound(await findDraft(reader, organizationId, draftId))
  const reading = readDraftFields(input)
  if ('errors' in reading) return fail('invalid', { errors: reading.errors })
  return withSurroundings(row, judgeFields({ ...fieldsOfRow(row), ...reading.ok }))
}

/** What was judged when the draft last changed, with what other records have against it now. */
export async function readJudgement(reader: Reader, row: DraftRow): Promise<DraftJudgement> {
  const stored = await findJudgement(reader, row.organization_id, row.id)
  // Written from judgeFields.
  return withSurroundings(row, stored === null ? judgeFields(fieldsOfRow(row)) : (JSON.parse(stored) as DraftJudgement))
}

/** The columns of a draft that say what its fields are worth; written whenever the fields are. */
export function judgementColumns(fields: DraftFields) {
  const judgement = judgeFields(fields)
  return { ...statusColumns(judgement.sections), judgement: JSON.stringify(judgement) }
}

const withSurroundings = (row: DraftRow, judgement: DraftJudgement): DraftJudgement => ({
  ...judgement,
  sections: sectionsAround(row, judgement.sections),
})

/** What the fields say by themselves. Costs milliseconds: the SQL is parsed, and the texts are rendered. */
function judgeFields(fields: DraftFields): DraftJudgement {
  const examples = readExampleRows(fields.template_data_examples)
  const rows = 'rows' in examples ? examples.rows : []
  return {
    sections: judgeSections(fields),
    sql: isBlank(fields.osquery_sql) ? null : made(() => renderSql(fields.osquery_sql, fields.option_definitions, {})),
    ...ownerTexts(fields, { definitions: fields.option_definitions, values: {}, rows }),
  }
}

function made(make: () => string): string | null {
  try {
    return make()
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
