import { maxUnregisteredAtOnce } from '@muster/contract/console-values.ts'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import type { Selection } from '../components/selection.ts'
import { chosenIds, type Walk } from './chosen-ids.ts'
import { type DeviceFilters, filterOf } from './device-filters.ts'

/** Who owns what was chosen; read again each time that someone asks. */
export const ownersQuery = (selection: Selection, filters: DeviceFilters) => {
  const body =
    selection.kind === 'some'
      ? { device_ids: [...selection.ids] }
      : { filter: filterOf(filters), except_ids: [...selection.except] }
  return query('previewUnregistrations', { body }, { staleTime: 0, gcTime: 0 })
}

export const unregisterChosen = (walk: Omit<Walk, 'onProgress'>) => ({
  batches: chosenIds(walk, maxUnregisteredAtOnce),
  step: async (ids: readonly string[]) => {
    const { unregistered_count: done, refused } = await api('unregisterDevices', { body: { device_ids: [...ids] } })
    return { done, refused }
  },
})
