import type { Attribute, Values } from './attribute.ts'
import type { GroupDraft } from './create-group.ts'
import { groupSchema } from './group-schema.ts'
import { memberIds } from './member-changes.ts'
import { readValues } from './read-values.ts'
import { refuse } from './scim-error.ts'

// B-tree keys have room for this in any alphabet.
const maxKeyLength = 400

/** What is read as text; members are read by themselves, since there may be thousands. */
const textAttributes: readonly Attribute[] = [
  { name: 'externalId', type: 'string', caseExact: true, description: 'The identifier of the identity provider.' },
  ...groupSchema.attributes.filter(({ name }) => name !== 'members'),
]

/** The group in the body of a POST or PUT. */
export function draftOfGroup(body: Record<string, unknown>): GroupDraft {
  const members = Object.entries(body).find(([name]) => name.toLowerCase() === 'members')
  const { displayName, externalId } = readGroupTexts(body)
  if (displayName === undefined) return refuse(400, 'invalidValue', 'displayName is required.')
  // RFC 7644 §3.5.1 lets a PUT without members leave them as they are; an empty list says that there are none.
  return { displayName, externalId: externalId ?? null, members: members && memberIds(members[1]) }
}

type GroupTexts = { displayName?: string; externalId?: string | null }

/** Names of a group in what was sent; `externalId` may be removed with null. Fails with invalidValue. */
export function readGroupTexts(input: Record<string, unknown>): GroupTexts {
  const { displayName, externalId }: Values = readValues(textAttributes, input)
  const takesExternalId = Object.keys(input).some((name) => name.toLowerCase() === 'externalid')
  const takesName = Object.keys(input).some((name) => name.toLowerCase() === 'displayname')
  if (takesName && (typeof displayName !== 'string' || displayName.trim() === '')) {
    refuse(400, 'invalidValue', 'displayName is required.')
  }
  return {
    ...(typeof displayName === 'string' && { displayName: keyOf('displayName', displayName) }),
    ...(takesExternalId && {
      externalId: typeof externalId === 'string' && externalId !== '' ? keyOf('externalId', externalId) : null,
    }),
  }
}

function keyOf(name: string, value: string): string {
  if (value.length > maxKeyLength) refuse(400, 'invalidValue', `${name} must have at most ${maxKeyLength} characters.`)
  return value
}
