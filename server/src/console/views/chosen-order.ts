import { sql } from 'kysely'
import { CursorError } from '../../base/lists/cursor.ts'
import { type Keyset, type KeysetColumn, otherOrder } from '../../base/lists/keyset.ts'

/** An order among several that a list may be asked for. */
export type ChosenOrder = Keyset & { readonly id: KeysetColumn; readonly sort: KeysetColumn }

/** Where a row stands in the order of that name, as text for the cursor. */
export const placeIn = (name: string, { id, sort }: ChosenOrder) => {
  const column = ({ column: reference }: KeysetColumn) =>
    typeof reference === 'string' ? sql.ref(reference) : reference
  return sql<string>`jsonb_build_array(${name}::text, (${column(sort)})::text, ${column(id)}::text)::text`.as('place')
}

/** The values to continue from; throws CursorError for a place in another order, or in a list that had no choice of them. */
export function keyOfPlace(name: string, place: string | undefined): [string, string] | undefined {
  if (place === undefined) return undefined
  const [of, value, id] = partsOf(place)
  if (of !== name || typeof value !== 'string' || typeof id !== 'string') throw new CursorError(otherOrder)
  return [value, id]
}

function partsOf(place: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(place)
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

export const placeOf = ({ place }: { readonly place: string }): string => place
