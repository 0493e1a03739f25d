import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { countChanges } from './count-changes.ts'

type Kept<Row> = {
  /** Which list, and which page of it. */
  readonly place: string
  /** What was last read, and compared with. */
  readonly source: readonly Row[]
  readonly rows: readonly Row[]
  /** The page was opened from what was known before, and is read again right now. */
  readonly isSettling: boolean
}

export type SteadyRows<Row> = {
  readonly rows: readonly Row[]
  /** How many rows would come, go or move. */
  readonly changes: number
  readonly show: () => void
  /** Whoever looks has just changed the list themselves: it is shown as it is read next. */
  readonly renew: () => void
}

/**
 * The rows of a page as they stood when it was opened: their values change in place, and nothing moves under the pointer
 * until `show` is called. A row that has left the list keeps its last values until then.
 */
export function useSteadyRows<Row extends { readonly id: string }>(
  list: UseQueryResult<{ readonly data: readonly Row[] }>,
  place: string,
): SteadyRows<Row> {
  const [kept, setKept] = useState<Kept<Row>>()
  const { isFetching } = list
  const fresh = list.isPlaceholderData ? undefined : list.data?.data
  const next = fresh === undefined ? kept : following(kept, fresh, place, isFetching)
  // While it is drawn, so that no frame shows rows that are already out of date.
  if (next !== kept) setKept(next)
  const rows = next?.rows ?? list.data?.data ?? []
  return {
    rows,
    changes: next === undefined || next.rows === next.source ? 0 : countChanges(idsOf(next.rows), idsOf(next.source)),
    show: () => setKept(next && { ...next, rows: next.source }),
    renew: () => setKept(next && { ...next, isSettling: true }),
  }
}

function following<Row extends { readonly id: string }>(
  kept: Kept<Row> | undefined,
  source: readonly Row[],
  place: string,
  isFetching: boolean,
): Kept<Row> {
  if (kept?.place !== place) return { place, source, rows: source, isSettling: isFetching }
  const isSettling = kept.isSettling && isFetching
  if (source === kept.source) return isSettling === kept.isSettling ? kept : { ...kept, isSettling }
  if (kept.isSettling) return { place, source, rows: source, isSettling }
  const known = new Map(source.map((row) => [row.id, row]))
  const rows = kept.rows.map((row) => known.get(row.id) ?? row)
  const isSame = rows.length === source.length && rows.every((row, index) => row === source[index])
  return { place, source, rows: isSame ? source : rows, isSettling }
}

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id)
