import type { DraftFields } from './draft-fields.ts'
import { judgeDetails } from './judge-details.ts'
import { judgePrivacy } from './judge-privacy.ts'
import { judgeSql } from './judge-sql.ts'
import { judgeTemplates } from './judge-templates.ts'
import type { Section } from './section.ts'

export const sectionNames = ['osquery_sql', 'notification_templates', 'details', 'privacy_center_details'] as const

export type SectionName = (typeof sectionNames)[number]

/** What the fields of a draft say by themselves: whether its slug is free is another question. */
export const judgeSections = (fields: DraftFields): Record<SectionName, Section> => ({
  osquery_sql: judgeSql(fields),
  notification_templates: judgeTemplates(fields),
  details: judgeDetails(fields),
  privacy_center_details: judgePrivacy(fields),
})

export const statusColumns = (sections: Record<SectionName, Section>) => ({
  osquery_sql_status: sections.osquery_sql.status,
  notification_templates_status: sections.notification_templates.status,
  details_status: sections.details.status,
  privacy_center_details_status: sections.privacy_center_details.status,
})
