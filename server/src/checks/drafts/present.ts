import type { CustomCheckDraft } from '@muster/contract/custom-check-drafts.ts'
import { draftPlatforms } from './draft-fields.ts'
import type { DraftRow } from './queries.ts'
import { isPublishable, statusesOf } from './standing.ts'

export function presentDraft(row: DraftRow): CustomCheckDraft {
  const statuses = statusesOf(row)
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    issue_title: row.issue_title,
    osquery_sql: row.osquery_sql,
    platforms: draftPlatforms.filter((platform) => row.platforms.includes(platform)),
    rationale_template: row.rationale_template,
    fix_instructions_template: row.fix_instructions_template,
    privacy_info: row.privacy_info,
    check_type: row.check_type,
    target_type: row.target_type,
    requires_primary_key: row.requires_primary_key,
    primary_key_column: row.primary_key_column,
    published: isPublished(row),
    custom_check_id: row.check_id ?? '',
    ...statuses,
    publishable: isPublishable(statuses),
    template_data_examples: row.template_data_examples,
    privacy_center_example_data: row.privacy_center_example_data,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** A draft whose check was deleted may be published again. */
export const isPublished = ({ check_id, published_at }: DraftRow): boolean => check_id !== null && published_at !== null
