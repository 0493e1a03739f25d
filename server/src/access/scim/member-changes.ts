import { isRecord } from './attribute.ts'
import type { MemberChange } from './change-group.ts'
import type { Filter } from './parse-filter.ts'
import { refuse } from './scim-error.ts'

const maxMembers = 20_000

/** The users that a list of members names. Fails with invalidValue for what can be no identifier of a user. */
export function memberIds(value: unknown): string[] {
  if (value === null || value === undefined) return []
  const members = Array.isArray(value) ? value : [value]
  if (members.length > maxMembers) refuse(400, 'tooMany', `A request has at most ${maxMembers} members.`)
  return [...new Set(members.map(memberId))]
}

function memberId(member: unknown): string {
  const id = isRecord(member) ? member['value'] : member
  if (typeof id === 'string' && isUserId(id)) return id
  return refuse(400, 'invalidValue', 'A member of the group is no user of this service.')
}

/** Whether text can be an identifier of a record: decimal, without leading zeros, within 64 bits. */
export const isUserId = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text)

/** The users that `members[value eq "1" or value eq "2"]` names: nobody is read to find out. */
export function idsOfFilter(filter: Filter): string[] {
  if (filter.op === 'or') return filter.filters.flatMap(idsOfFilter)
  if (filter.op === 'eq' && filter.attrPath.toLowerCase() === 'value' && typeof filter.compValue === 'string') {
    return isUserId(filter.compValue) ? [filter.compValue] : []
  }
  return refuse(400, 'invalidFilter', 'Members are found by their value only.')
}

export const noMemberChange: MemberChange = { isWhole: false, added: [], removed: [] }

export function withAdded(change: MemberChange, ids: readonly string[]): MemberChange {
  const wanted = new Set(ids)
  return {
    isWhole: change.isWhole,
    added: [...new Set([...change.added, ...ids])],
    removed: change.removed.filter((id) => !wanted.has(id)),
  }
}

export function withRemoved(change: MemberChange, ids: readonly string[]): MemberChange {
  const unwanted = new Set(ids)
  return {
    isWhole: change.isWhole,
    added: change.added.filter((id) => !unwanted.has(id)),
    removed: [...new Set([...change.removed, ...ids])],
  }
}

export const withOnly = (ids: readonly string[]): MemberChange => ({ isWhole: true, added: ids, removed: [] })
