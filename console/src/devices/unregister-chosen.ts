import type { Unregistrations } from '@muster/contract/console-unregistrations.ts'
import { maxUnregisteredAtOnce } from '@muster/contract/console-values.ts'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import type { Selection } from '../components/selection.ts'
import { chosenIds, type Walk } from './chosen-ids.ts'
import { type DeviceFilters, filterOf } from './device-filters.ts'

/** Whom it hits; read again each time that someone asks. */
export const unregistrationQuery = (selection: Selection, filters: DeviceFilters) => {
  const body =
    selection.kind === 'some'
      ? { device_ids: [...selection.ids] }
      : { filter: filterOf(filters), except_ids: [...selection.except] }
  return queryOptions({
    queryKey: ['devices', 'unregistration', body],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => api('previewUnregistrations', { body, signal }),
  })
}

/** What has become of what was asked for. */
export type Account = {
  readonly unregistered: number
  readonly refused: Unregistrations['refused']
  /** Why it did not continue to the end: someone stopped it, or what failed. */
  readonly ended: 'stopped' | Error | undefined
}

/** So many at a time, until all are unregistered or someone stops it; what was done before stays done. */
export async function unregisterChosen(walk: Walk): Promise<Account> {
  const refused: Unregistrations['refused'] = []
  let [unregistered, done] = [0, 0]
  try {
    for await (const device_ids of chosenIds(walk, maxUnregisteredAtOnce)) {
      walk.signal.throwIfAborted()
      // Not given up halfway: what the server has begun is told of.
      const step = await api('unregisterDevices', { body: { device_ids } })
      unregistered += step.unregistered_count
      refused.push(...step.refused)
      done += device_ids.length
      walk.onProgress(done)
    }
  } catch (error) {
    if (walk.signal.aborted) return { unregistered, refused, ended: 'stopped' }
    if (done === 0) throw error
    return { unregistered, refused, ended: error instanceof Error ? error : new Error(String(error)) }
  }
  return { unregistered, refused, ended: undefined }
}
