import { type FailingChecksRefresh, mostRefreshedAtOnce } from '@muster/contract/console-devices.ts'
import type { DeviceView } from '@muster/contract/console-views.ts'
import { request, withQuery } from '../api/request.ts'
import { isChosen, type Selection } from '../components/selection.ts'
import { type DeviceFilters, filterOf } from './device-filters.ts'
import type { ListOf } from './device-queries.ts'

export type Refreshed = { readonly asked: number; readonly devices: number }

/** Asks every failing check of the devices to run again at the next check-in. */
export async function refreshChecks(device_ids: readonly string[], signal?: AbortSignal): Promise<Refreshed> {
  const path = '/views/check_refreshes'
  const asked = { method: 'POST', body: { device_ids }, ...(signal && { signal }) } as const
  const { devices_count: devices, checks_count } = await request<FailingChecksRefresh>(path, asked)
  return { asked: checks_count, devices }
}

type Walk = {
  readonly filters: DeviceFilters
  readonly selection: Selection
  readonly signal: AbortSignal
  /** Called with how many devices were asked so far. */
  readonly onProgress: (done: number) => void
}

/** A hundred devices at a time, until all are asked or somebody stops it. */
export async function refreshChosen({ filters, selection, signal, onProgress }: Walk): Promise<Refreshed> {
  let [asked, devices, done] = [0, 0, 0]
  for await (const ids of chosenIds(filters, selection, signal)) {
    const step = await refreshChecks(ids, signal)
    asked += step.asked
    devices += step.devices
    done += ids.length
    onProgress(done)
  }
  return { asked, devices }
}

/** By name, an order that what is asked does not change. */
async function* chosenIds(filters: DeviceFilters, selection: Selection, signal: AbortSignal) {
  if (selection.kind === 'some') {
    const ids = [...selection.ids]
    for (let at = 0; at < ids.length; at += mostRefreshedAtOnce) yield ids.slice(at, at + mostRefreshedAtOnce)
    return
  }
  let cursor = ''
  do {
    const query = { ...filterOf(filters), sort: 'name', per_page: mostRefreshedAtOnce, cursor }
    const page = await request<ListOf<DeviceView>>(withQuery('/views/devices', query), { signal })
    const ids = page.data.map(({ id }) => id).filter((id) => isChosen(selection, id))
    if (ids.length > 0) yield ids
    cursor = page.pagination.next_cursor
  } while (cursor !== '')
}
