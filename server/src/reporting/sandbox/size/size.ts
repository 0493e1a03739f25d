/**
 * The most that a value can take, in bytes, whether as text or as the database keeps it. `rows` is more than 1 where
 * the expression answers several rows for each one.
 */
export type Size = {
  readonly width: number
  readonly rows: number
  /** What an aggregate keeps is counted apart from values that are gone with their row. */
  readonly isHeld?: boolean
}

/** A unique combination of columns. */
export type Key = readonly string[]

/** What a table, a subquery or a function in FROM can answer at most. */
export type Relation = {
  /** The most bytes of a value, by column in their order. */
  readonly columns: ReadonlyMap<string, number>
  readonly rows: number
  /** Combinations of columns of which no two rows are alike. */
  readonly keys: readonly Key[]
}

/** PostgreSQL's longest number: 131,072 digits before the point and 16,383 after it. */
export const maxNumberLength = 147_500

/** JSON escapes a control character with six. */
export const asJson = (width: number): number => 6 * width + 16

/** A list of this many values, as the database keeps it and as text with every character quoted. */
export const asList = (width: number, count: number): number => 2 * width + 16 * count + 32

/** A row as a value: as text with every quote doubled, with the names of its columns as JSON has them. */
export function rowWidth(columns: ReadonlyMap<string, number>): number {
  let width = 32
  for (const [name, most] of columns) width += 2 * most + 2 * Buffer.byteLength(name) + 8
  return width
}

/** Bytes of all columns together, as a sort holds them. */
export function tupleWidth(columns: ReadonlyMap<string, number>): number {
  let width = 32
  for (const most of columns.values()) width += most + 4
  return width
}
