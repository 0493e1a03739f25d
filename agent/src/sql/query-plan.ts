import type { Table } from '../tables/table.ts'
import { type IndexInfo, SQLITE_CONSTRAINT, SQLITE_OK } from './sqlite.ts'

const CONSTRAINT_EQUAL = 2
const CONSTRAINT_LIKE = 65

/** How a plan's arguments are used: given to the table, or looked up among the rows it answered. */
export type PlannedUse = { column: string; op: 'equal' | 'like'; by: 'table' | 'lookup' }

/** Chooses which conditions to take and prices the plan, so that joins run through the cheap side. */
export function planQuery(table: Table, names: string[], info: IndexInfo): number {
  const uses: PlannedUse[] = []
  let refused = false
  info.aConstraint.forEach((constraint, index) => {
    const use = useOf(table, names, constraint.iColumn, constraint.op)
    if (!use) return
    if (!constraint.usable) {
      refused ||= use.by === 'table'
      return
    }
    if (use.by === 'lookup' && uses.some((each) => each.by === 'lookup')) return
    uses.push(use)
    const usage = info.aConstraintUsage[index]
    if (usage) usage.argvIndex = uses.length
  })
  const pushed = uses.some((use) => use.by === 'table')
  // Refusing the plan makes SQLite look for the join order in which the condition can be used.
  if (table.constraintRequired && !pushed && refused) return SQLITE_CONSTRAINT
  const looked = uses.some((use) => use.by === 'lookup')
  info.idxStr = uses.map((use) => `${use.by}:${use.op}:${use.column}`).join(',')
  info.estimatedCost = pushed ? 10 : looked ? 100 : 100_000
  info.estimatedRows = pushed || looked ? 5 : 1_000
  return SQLITE_OK
}

function useOf(table: Table, names: string[], columnIndex: number, op: number): PlannedUse | undefined {
  const column = names[columnIndex]
  if (column === undefined) return undefined
  const pushed = table.pushed?.[column]
  if (op === CONSTRAINT_LIKE) return pushed === 'like' ? { column, op: 'like', by: 'table' } : undefined
  if (op !== CONSTRAINT_EQUAL) return undefined
  return { column, op: 'equal', by: pushed ? 'table' : 'lookup' }
}

/** What planQuery left for the run. */
export function readPlan(idxStr: string | null): PlannedUse[] {
  return (idxStr ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [by, op, column = ''] = part.split(':')
      return { by: by === 'table' ? 'table' : 'lookup', op: op === 'like' ? 'like' : 'equal', column }
    })
}
