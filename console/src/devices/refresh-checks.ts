import type { CheckResult } from '@muster/contract/check-results.ts'
import { request, withQuery } from '../api/request.ts'
import type { ListOf } from './device-queries.ts'

/** Asks every failing check of the devices to run again at the next check-in, device after device. */
export async function refreshChecks(deviceIds: readonly string[]): Promise<{ asked: number; devices: number }> {
  let asked = 0
  let devices = 0
  for (const id of deviceIds) {
    const query = { per_page: 100, query: 'status:"failing"' }
    const { data } = await request<ListOf<CheckResult>>(withQuery(`/devices/${id}/check_results`, query))
    for (const { check_id } of data) {
      await request(`/devices/${id}/check_refreshes`, { method: 'POST', body: { check_id } })
    }
    asked += data.length
    if (data.length > 0) devices += 1
  }
  return { asked, devices }
}
