import { turnsByOrganization } from '../../../base/jobs/turns-by-organization.ts'
import type { DeviceState } from '../device-registry.ts'
import { turnRefusal } from './turn-refusal.ts'

/** Agents hang up after 16 s, and what waits holds memory. */
const limits = { atOnce: 4, maxWaiting: 2_000, maxWaitingOfOne: 1_000, maxWaitMs: 9_000 }

/** Both leave the agent with what it has sent: it comes again with the next lot. */
const messages = {
  busy: 'Too many large requests of agents are being read. Try again later.',
  gone: 'The agent has hung up.',
} as const

export type LargeBodyTurns = ReturnType<typeof largeBodyTurns>

/**
 * Turns for what takes memory and time out of proportion to its request: logs and long writes. Organizations take turns,
 * and each device has one of a kind at a time.
 */
export function largeBodyTurns(onRefusal: () => void) {
  const turns = turnsByOrganization(limits, (why) => {
    onRefusal()
    return turnRefusal(why, messages)
  })
  const senders = new Set<string>()

  /** Fails with status 503 when there is no turn in time, or another one of the device still is in work. */
  async function take<Result>(
    caller: { kind: 'log' | 'write'; device: DeviceState; isGone: () => boolean },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { organization, deviceId } = caller.device
    const sender = `${caller.kind} ${organization.id}/${deviceId}`
    if (senders.has(sender)) {
      onRefusal()
      throw turnRefusal('busy', { busy: 'Another request of this device is being read. Try again later.' })
    }
    senders.add(sender)
    try {
      return await turns.take({ organizationId: organization.id, isGone: caller.isGone }, work)
    } finally {
      senders.delete(sender)
    }
  }

  return { take }
}
