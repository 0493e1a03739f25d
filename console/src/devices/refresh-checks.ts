import { maxRefreshedAtOnce } from '@muster/contract/console-values.ts'
import { api } from '../api/api.ts'
import { chosenIds, type Walk } from './chosen-ids.ts'

export type Refreshed = { readonly asked: number; readonly devices: number }

/** Asks every failing check of the devices to run again at the next check-in. */
export async function refreshChecks(device_ids: readonly string[], signal?: AbortSignal): Promise<Refreshed> {
  const asked = { body: { device_ids }, ...(signal && { signal }) }
  const { devices_count: devices, checks_count } = await api('refreshFailingChecks', asked)
  return { asked: checks_count, devices }
}

/** A hundred devices at a time, until all are asked or someone stops it. */
export async function refreshChosen(walk: Walk): Promise<Refreshed> {
  let [asked, devices, done] = [0, 0, 0]
  for await (const ids of chosenIds(walk, maxRefreshedAtOnce)) {
    const step = await refreshChecks(ids, walk.signal)
    asked += step.asked
    devices += step.devices
    done += ids.length
    walk.onProgress(done)
  }
  return { asked, devices }
}
