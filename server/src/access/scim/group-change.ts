import { type Attribute, isRecord } from './attribute.ts'
import type { GroupChange, MemberChange } from './change-group.ts'
import { readGroupTexts } from './group-draft.ts'
import { groupSchema, groupUrn } from './group-schema.ts'
import { idsOfFilter, memberIds, noMemberChange, withAdded, withOnly, withRemoved } from './member-changes.ts'
import { findPath, parsePath, type Step } from './parse-path.ts'
import type { Operation } from './read-operations.ts'
import { refuse } from './scim-error.ts'

const attributes: readonly Attribute[] = [
  { name: 'externalId', type: 'string', caseExact: true, description: 'The identifier of the identity provider.' },
  ...groupSchema.attributes,
]

/** The net effect of a PATCH's operations, in their order, without reading the group. */
export function changeOfOperations(operations: readonly Operation[]): GroupChange {
  return operations.reduce<GroupChange>((change, { op, path, value }) => {
    if (path !== undefined) return changed(change, op, parsePath(attributes, groupUrn, path), value)
    if (!isRecord(value))
      return refuse(400, 'invalidValue', 'An operation without a path needs an object for its value.')
    return Object.entries(value).reduce((inner, [name, part]) => {
      const steps = findPath(attributes, groupUrn, name)
      // Okta sends the identifier along when it renames.
      return steps ? changed(inner, op, steps, part) : inner
    }, change)
  }, {})
}

function changed(change: GroupChange, op: Operation['op'], [step, ...rest]: Step[], value: unknown): GroupChange {
  if (!step) return change
  const { name } = step.attribute
  if (name === 'members') {
    if (rest.length > 0) refuse(400, 'mutability', 'A member of a group cannot be changed, only added or removed.')
    return { ...change, members: changedMembers(change.members ?? noMemberChange, op, step, value) }
  }
  return { ...change, ...readGroupTexts({ [name]: op === 'remove' ? null : value }) }
}

function changedMembers(change: MemberChange, op: Operation['op'], { filter }: Step, value: unknown): MemberChange {
  if (filter) {
    if (op !== 'remove') refuse(400, 'mutability', 'A member of a group cannot be changed, only added or removed.')
    return withRemoved(change, idsOfFilter(filter))
  }
  if (op === 'add') return withAdded(change, memberIds(value))
  if (op === 'replace') return withOnly(memberIds(value))
  // Entra names in the value whom to remove; all are meant only where there is no value (RFC 7644 §3.5.2.2).
  return value === undefined || value === null ? withOnly([]) : withRemoved(change, memberIds(value))
}
