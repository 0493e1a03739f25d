import type { Node } from '../parse-select.ts'
import type { Ledger } from './ledger.ts'
import { type Relation, rowWidth } from './size.ts'
import type { TableRelation } from './table-relations.ts'

/** What an expression can refer to: the tables of its SELECT, then those of the SELECTs around it. */
export type Scope = {
  readonly relations: ReadonlyMap<string, Relation>
  /** Columns of the answer, which ORDER BY and GROUP BY may name. */
  readonly outputs?: ReadonlyMap<string, number>
  /** The same by their places, of which ORDER BY and GROUP BY may give the number. */
  readonly places?: readonly number[]
  /** Rows that an aggregate here collects over, at most. */
  readonly rows: number
  readonly ctes: ReadonlyMap<string, Relation>
  readonly outer?: Scope
  readonly tables: ReadonlyMap<string, TableRelation>
  /** Whether the query compares a column of this name with `=`, so that a join may sort by it. */
  readonly isEquated: (column: string) => boolean
  readonly ledger: Ledger
  /** What a subquery answers; given here because expressions and subqueries hold each other. */
  readonly sizeOfSelect: (select: Node, scope: Scope) => Relation
}

/** The most bytes of what a column name stands for. A name that is not found could be any column, or a whole row. */
export function widthOfColumn(names: readonly string[], scope: Scope): number {
  const name = names.at(-1) ?? ''
  const alias = names.length > 1 ? names.at(-2) : undefined
  const found: number[] = []
  let widest = 32
  for (let place: Scope | undefined = scope; place; place = place.outer) {
    if (alias === undefined) found.push(...widthsIn(place.outputs, name))
    for (const [relationName, relation] of place.relations) {
      const whole = rowWidth(relation.columns)
      widest = Math.max(widest, whole)
      if (alias === undefined && relationName === name) found.push(whole)
      if (alias === undefined || alias === relationName) found.push(...widthsIn(relation.columns, name))
    }
  }
  return found.length > 0 ? Math.max(...found) : widest
}

const widthsIn = (columns: ReadonlyMap<string, number> | undefined, name: string): number[] => {
  const width = columns?.get(name)
  return width === undefined ? [] : [width]
}

/** Of this SELECT and those around it: an aggregate over columns of an outer one belongs there. */
export function collectedRows(scope: Scope): number {
  return Math.max(scope.rows, scope.outer ? collectedRows(scope.outer) : 0)
}
