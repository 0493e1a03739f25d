import { createHash } from 'node:crypto'

/** Longer texts are multi-row writes whose shape varies with the rows: never worth a name. */
const maxNamedTextLength = 8_000
const repeatsBeforeNaming = 3
const maximumCandidates = 2_000
const canBePrepared = /^\s*(?:select|insert|update|delete|with|merge)\b/i
/**
 * A named statement soon has one plan for all values, and no plan suits both a rare and a common pattern: over 500,000
 * rows the wrong one costs hundreds of milliseconds, planning again less than one.
 */
const isPlannedByValue = /\bi?like\b/i

export type NamedStatements = {
  /** The name to prepare this text under, or undefined to send it unnamed. */
  nameOf(text: string): string | undefined
  /** Never name this text again: its plan has gone stale. */
  retire(text: string): void
}

/**
 * Names for texts that repeat, since PostgreSQL plans a named statement once per session: measured 1.5 times the
 * pages per second. Bounded, because every name costs memory in every session for as long as it lives.
 */
export function namedStatements(maximumNames = 1_000): NamedStatements {
  const names = new Map<string, string>()
  const retired = new Set<string>()
  let candidates = new Map<string, number>()
  return {
    nameOf(text) {
      const name = names.get(text)
      if (name !== undefined) return name
      if (names.size >= maximumNames || text.length > maxNamedTextLength || retired.has(text)) return undefined
      if (isPlannedByValue.test(text)) return undefined
      const seen = (candidates.get(text) ?? 0) + 1
      if (seen < repeatsBeforeNaming || !canBePrepared.test(text)) {
        if (candidates.size >= maximumCandidates) candidates = new Map()
        candidates.set(text, seen)
        return undefined
      }
      candidates.delete(text)
      const made = `m_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
      names.set(text, made)
      return made
    },
    retire(text) {
      if (names.delete(text)) retired.add(text)
    },
  }
}
