import type { DraftView } from '@muster/contract/console-drafts.ts'
import { query } from '../api/query.ts'

/** What the editor holds, by the names of the server. */
export type DraftForm = {
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly platforms: readonly ('darwin' | 'windows' | 'linux')[]
  readonly interval_minutes: string
  readonly osquery_sql: string
  readonly options: string
  readonly requires_primary_key: boolean
  readonly primary_key_column: string
  readonly issue_title: string
  readonly rationale_template: string
  readonly fix_instructions_template: string
  readonly template_data_examples: string
  readonly privacy_info: string
  readonly privacy_center_example_data: string
}

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2)

export const formOf = (draft: DraftView): DraftForm => ({
  name: draft.name,
  slug: draft.slug,
  description: draft.description,
  platforms: draft.platforms,
  interval_minutes: String(draft.interval_minutes),
  osquery_sql: draft.osquery_sql,
  options: pretty(draft.options),
  requires_primary_key: draft.requires_primary_key,
  primary_key_column: draft.primary_key_column,
  issue_title: draft.issue_title,
  rationale_template: draft.rationale_template,
  fix_instructions_template: draft.fix_instructions_template,
  template_data_examples: pretty(draft.template_data_examples),
  privacy_info: draft.privacy_info,
  privacy_center_example_data: pretty(draft.privacy_center_example_data),
})

/** The fields that differ; a number that is none is sent as text, and refused by the server in its own words. */
export function changesOf(before: DraftForm, form: DraftForm): Record<string, unknown> {
  const names = (Object.keys(form) as (keyof DraftForm)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(form[name]),
  )
  const minutes = form.interval_minutes.trim()
  const interval = /^\d{1,6}$/.test(minutes) ? Number(minutes) : minutes
  return Object.fromEntries(names.map((name) => [name, name === 'interval_minutes' ? interval : form[name]]))
}

export const draftQuery = (draftId: string) => query('getDraftView', { params: { draftId } })
