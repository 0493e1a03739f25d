import { type Expression, type RawBuilder, sql } from 'kysely'
import { foldText } from '../fold-text.ts'

type Column = string | Expression<unknown>

/** A column as names and addresses are compared (`foldText`); a name of a column must not be made of what a caller sent. */
export const folded = (column: Column): RawBuilder<string> =>
  sql<string>`folded(${typeof column === 'string' ? sql.ref(column) : column})`

export const equalsFolded = (column: Column, text: string): RawBuilder<boolean> =>
  sql<boolean>`${folded(column)} = ${foldText(text)}`

export const containsFolded = (column: Column, text: string): RawBuilder<boolean> =>
  sql<boolean>`${folded(column)} like ${foldedPattern(text)}`

/** To order by, descending: the row with just this spelling first, then the one that others are compared with. */
export const closestSpelling = (column: string, text: string): RawBuilder<unknown> =>
  sql`(${sql.ref(column)} = ${text}, not is_duplicate)`

/** For `folded(column) like`: the text anywhere. Folding comes first, since there are wide forms of `%`, `_` and the backslash. */
export const foldedPattern = (text: string): string => `%${likeText(foldText(text))}%`

/** Undefined when nothing is searched for. */
export const searchPattern = (search: string | undefined): string | undefined =>
  search === undefined || search.trim() === '' ? undefined : foldedPattern(search.trim())

/** Text in a pattern of LIKE. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
