import type { DeviceView } from '@muster/contract/console-views.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Selection, sizeOf } from '../components/selection.ts'
import type { DeviceFilters } from './device-filters.ts'
import { deviceCountQuery } from './device-queries.ts'

/** The rows that were shown here so far, by identifier: what is chosen on one page stays chosen on the next. */
export function useSeen(rows: readonly DeviceView[]): ReadonlyMap<string, DeviceView> {
  const [seen] = useState(() => new Map<string, DeviceView>())
  useEffect(() => {
    for (const row of rows) seen.set(row.id, row)
  }, [rows, seen])
  return seen
}

type Owned = { readonly selection: Selection; readonly size: number }

/** Of what is chosen, the devices that someone owns; undefined while they are counted. */
export function useOwned(
  selection: Selection,
  filters: DeviceFilters,
  seen: ReadonlyMap<string, DeviceView>,
): Owned | undefined {
  const isAll = selection.kind === 'all'
  const among: DeviceFilters = { ...filters, owner: 'registered' }
  const count = useQuery({ ...deviceCountQuery(among), enabled: isAll && filters.owner !== 'none' })
  const isOwned = (id: string) => (seen.get(id)?.owner ?? null) !== null
  if (selection.kind === 'some') {
    const ids = new Set([...selection.ids].filter(isOwned))
    return { selection: { kind: 'some', ids }, size: ids.size }
  }
  if (filters.owner === 'none') return { selection, size: 0 }
  const owned: Selection = { kind: 'all', except: new Set([...selection.except].filter(isOwned)) }
  return count.data && { selection: owned, size: sizeOf(owned, count.data.count) }
}
