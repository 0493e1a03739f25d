import type { Relation } from './size.ts'

/** The columns under other names, as far as there are any. */
export function renameColumns(relation: Relation, names: readonly string[]): Relation {
  if (names.length === 0) return relation
  const columns = [...relation.columns].map(([name, width], at): [string, number] => [names[at] ?? name, width])
  return { rows: relation.rows, columns: widestOfEach(columns), keys: [] }
}

/** Names may come twice; the wider one stands for both. */
export function widestOfEach(columns: readonly (readonly [string, number])[]): Map<string, number> {
  const widest = new Map<string, number>()
  for (const [name, width] of columns) widest.set(name, Math.max(width, widest.get(name) ?? 0))
  return widest
}
