/** What osquery reports is flat; an agent may nest some values, and a hostile one anything. */
const maxLevels = 8
const maxMembers = 1_000

/** Any JSON value as the text that a cell shows: null is empty, lists and objects are JSON, unless they are very large. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  return membersWithin(value, maxLevels, maxMembers) > maxMembers ? '(too large)' : JSON.stringify(value)
}

/** How many members a value has, those of its members included; more than `most` as soon as there are, or it is deeper. */
function membersWithin(value: object, levels: number, most: number): number {
  if (levels === 0) return most + 1
  let count = 0
  for (const name in value) {
    count += 1
    const member: unknown = (value as Record<string, unknown>)[name]
    if (typeof member === 'object' && member !== null) count += membersWithin(member, levels - 1, most - count)
    if (count > most) return count
  }
  return count
}
