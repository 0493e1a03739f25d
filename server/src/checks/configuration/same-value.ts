/** Whether two JSON values are equal. The database does not keep the order of an object's members, at any depth. */
export const isSameValue = (one: unknown, other: unknown): boolean => ordered(one) === ordered(other)

const ordered = (value: unknown): string => JSON.stringify(membersInOrder(value))

function membersInOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(membersInOrder)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return members.map(([name, member]) => [name, membersInOrder(member)])
}
