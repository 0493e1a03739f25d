import { sql } from 'kysely'
import { CursorError } from '../lists/cursor.ts'
import type { Keyset, KeysetColumn } from '../lists/keyset.ts'

/** An order among several that a list may be asked for. */
export type ChosenOrder = Keyset & { readonly id: KeysetColumn; readonly sort: KeysetColumn }

/** Where a row stands in the order of that name, as text for the cursor. */
export const placeIn = (name: string, { id, sort }: ChosenOrder) => {
  const column = ({ column: reference }: KeysetColumn) =>
    typeof reference === 'string' ? sql.ref(reference) : reference
  return sql<string>`jsonb_build_array(${name}::text, (${column(sort)})::text, ${column(id)}::text)::text`.as('place')
}

/** The values to go on from; throws CursorError for a place in another order. */
export function keyOfPlace(name: string, place: string | undefined): [string, string] | undefined {
  if (place === undefined) return undefined
  const [of, value = '', id = ''] = JSON.parse(place) as string[]
  if (of !== name) {
    throw new CursorError('The cursor belongs to another order of this list; start again without a cursor')
  }
  return [value, id]
}

export const placeOf = ({ place }: { readonly place: string }): string => place
