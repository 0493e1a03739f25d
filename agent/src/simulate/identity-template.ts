import type { DeviceProfile } from './device-profile.ts'

/**
 * Answers are prepared once per SQL text with marks where a device's own values go, and filled in per device.
 * What SQL computes from a mark (a length, a lower-cased copy) is the one thing that comes out wrong.
 */
const markedFields = [
  'hostname',
  'localHostname',
  'computerName',
  'ownerName',
  'username',
  'uuid',
  'instanceId',
  'serial',
  'macAddress',
  'ipAddress',
] as const

type MarkedField = (typeof markedFields)[number]

/** Text around marks: even places are literal JSON, odd places name a field. */
export type IdentityTemplate = { literals: string[]; fields: MarkedField[] }

/** The profile with a mark in place of every value that tells devices of one kind apart. */
export function markedProfile(profile: DeviceProfile): DeviceProfile {
  const marks = Object.fromEntries(markedFields.map((field) => [field, `⟦${field}⟧`]))
  return { ...profile, ...marks }
}

export function prepareTemplate(json: string): IdentityTemplate {
  const pattern = new RegExp(`⟦(${markedFields.join('|')})⟧`)
  const template: IdentityTemplate = { literals: [], fields: [] }
  for (const [place, part] of json.split(pattern).entries()) {
    if (place % 2 === 0) template.literals.push(part)
    else template.fields.push(part as MarkedField) // the pattern captures nothing else
  }
  return template
}

export function fillTemplate(template: IdentityTemplate, profile: DeviceProfile): string {
  let filled = template.literals[0] ?? ''
  for (const [place, field] of template.fields.entries()) {
    filled += JSON.stringify(profile[field]).slice(1, -1) + (template.literals[place + 1] ?? '')
  }
  return filled
}
