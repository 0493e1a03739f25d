import { listLatestRequests } from '../../administration/requests/latest-requests.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { limits } from './session-rules.ts'

type Asking = { organizationId: string; deviceId: string; personId: string }

/**
 * Fails with rate_limited where a person has asked IT for something 20 times within a day on whatever device, also where they
 * have withdrawn it: each request is told to administrators, receivers and the audit log.
 */
export async function refuseManyRequests(tx: Tx, asking: Asking, now: string): Promise<void> {
  const { organizationId, deviceId, personId } = asking
  // Of many at once each counts those before it. Devices are locked before their owner.
  await lockDevice(tx, organizationId, deviceId)
  await lockPerson(tx, organizationId, personId)
  const earliest = (await listLatestRequests(tx, asking, limits.requests)).at(limits.requests - 1)
  if (earliest === undefined || earliest <= plusMs(now, -limits.requestsMs)) return
  fail('rate_limited', {
    message: `You have asked IT ${limits.requests} times within a day. Wait for their answers, or call them.`,
    retryAfterSeconds: Math.ceil((Date.parse(plusMs(earliest, limits.requestsMs)) - Date.parse(now)) / 1_000),
  })
}
