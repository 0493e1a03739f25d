import { findRawHtml } from '../../compliance/templates/raw-html.ts'
import type { DraftFields } from './draft-fields.ts'
import { hasControls, isBlank, readExampleRows, type Section, sectionOf } from './section.ts'

export function judgePrivacy({ privacy_info: info, privacy_center_example_data: data }: DraftFields): Section {
  const faults: string[] = []
  const html = findRawHtml(info)
  if (html !== undefined) faults.push(`privacy_info must not have HTML such as ${html}`)
  if (hasControls(info)) faults.push('privacy_info has control characters')
  const examples = readExampleRows(data)
  if ('fault' in examples) faults.push(`privacy_center_example_data ${examples.fault}`)
  return sectionOf(isBlank(info) ? ['privacy_info'] : [], faults)
}
