import { lowerAscii } from './read-tokens.ts'
import type { Stub, StubTables } from './stub-tables.ts'

type Owners = ReadonlySet<Stub>
type ColumnOwners = {
  /** No table in reach has the column: one more gets it. False once nothing is left to try. */
  grow: (column: string, qualifier: string) => boolean
  /** Two tables in reach have it: one of them loses it. */
  shrink: (column: string) => boolean
}

/** Which stubs have a column, beyond what is known of them. Every set of owners of a column is tried once, so that trying ends. */
export function columnOwners(stubs: StubTables): ColumnOwners {
  const owners = new Map<string, Owners>()
  const tried = new Map<string, Set<string>>()

  const ownersOf = (column: string): Owners =>
    owners.get(column) ?? new Set(stubs.list.filter(({ columns }) => columns.has(column)))
  const tryFirst = (column: string, choices: readonly Owners[]): boolean => {
    const before = tried.get(column) ?? new Set<string>()
    tried.set(column, before)
    const keyOf = (choice: Owners) => stubs.list.flatMap((stub, at) => (choice.has(stub) ? [at] : [])).join()
    const choice = choices.find((each) => !before.has(keyOf(each)))
    if (choice === undefined) return false
    before.add(keyOf(choice))
    owners.set(column, choice)
    stubs.setColumn(column, choice)
    return true
  }

  return {
    grow(column, qualifier) {
      const rest = stubs.list.filter((stub) => !ownersOf(column).has(stub))
      const isQualified = (stub: Stub) => lowerAscii(stub.name) === lowerAscii(qualifier)
      const ordered = [...rest.filter(isQualified), ...rest.filter((stub) => !isQualified(stub))]
      const choices = ordered.map((stub) => new Set([...ownersOf(column), stub]))
      return tryFirst(column, choices)
    },
    shrink(column) {
      const all = [...ownersOf(column)]
      const choices = all.map((stub) => new Set(all.filter((other) => other !== stub)))
      return tryFirst(column, choices)
    },
  }
}
