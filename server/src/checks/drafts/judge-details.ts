import type { DraftFields } from './draft-fields.ts'
import { hasControls, isBlank, isOneLine, type Section, sectionOf } from './section.ts'

const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/

export function judgeDetails(fields: DraftFields): Section {
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
