import { findRawHtml } from '../../compliance/templates/raw-html.ts'
import type { DraftFields } from './draft-fields.ts'
import { judgeSql } from './judge-sql.ts'
import { judgeTemplates } from './judge-templates.ts'
import { hasControls, isBlank, isOneLine, readExampleRows, type Section, sectionOf } from './section.ts'

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

const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/

function judgeDetails(fields: DraftFields): Section {
  const { name, slug, description, platforms, check_type: type, target_type: target } = fields
  const missing = Object.entries({ name, slug, description })
    .filter(([, text]) => isBlank(text))
    .map(([field]) => field)
  // A person's results reach whatever devices they have.
  if (platforms.length === 0 && target === 'devices') missing.push('platforms')
  const faults: string[] = []
  if (!isOneLine(name)) faults.push('name has control characters')
  if (hasControls(description)) faults.push('description has control characters')
  if (!isBlank(slug) && !slugForm.test(slug)) faults.push('slug must be lower-case letters, digits and single hyphens')
  if (target === 'people' && type === 'osquery') faults.push('only an external check can have people as its target')
  return sectionOf(missing, faults)
}

function judgePrivacy({ privacy_info: info, privacy_center_example_data: data }: DraftFields): Section {
  const faults: string[] = []
  const html = findRawHtml(info)
  if (html !== undefined) faults.push(`privacy_info must not have HTML such as ${html}`)
  if (hasControls(info)) faults.push('privacy_info has control characters')
  const examples = readExampleRows(data)
  if ('fault' in examples) faults.push(`privacy_center_example_data ${examples.fault}`)
  return sectionOf(isBlank(info) ? ['privacy_info'] : [], faults)
}
