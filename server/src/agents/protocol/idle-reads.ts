import type { IncomingMessage } from 'node:http'
import { nowMsBy } from '../../base/clock.ts'
import type { AgentContext } from './agent-context.ts'
import { parseFields } from './answers.ts'
import type { AgentRequest, BodyReceiver } from './bodies/receive-bodies.ts'
import { type DeviceState, isStale } from './device-registry.ts'
import { idleAnswer } from './hand-out-queries.ts'
import { noteContact } from './load-device.ts'
import { isIdle } from './read-under-way.ts'

const nodeKeyScheme = /^NodeKey\s+(\S+)\s*$/i

/** Agents since osquery 5.23 send the node key in this header, too. */
export const nodeKeyOf = (authorization: string | undefined): string | undefined =>
  nodeKeyScheme.exec(authorization ?? '')?.[1]

/** A read has its node key and little else; anything longer is not parsed. */
const maxBytes = 1024

/**
 * Most reads bring nothing, and come from devices that need not be loaded. Those whose node key is in the header are
 * answered before their body is read, which nobody needs.
 */
export function idleReader(context: AgentContext, bodies: BodyReceiver) {
  const nowMs = nowMsBy(context.clock)

  function idleDevice(nodeKey: unknown): DeviceState | undefined {
    const known = typeof nodeKey === 'string' ? context.registry.find(nodeKey) : undefined
    if (!known || isStale(known) || !isIdle(known, nowMs())) return undefined
    noteContact(context, known, context.clock())
    return known
  }

  return {
    ofHeaders({ headers: { authorization } }: IncomingMessage): string | undefined {
      if (authorization === undefined) return 'needs body'
      return idleDevice(nodeKeyOf(authorization)) && idleAnswer
    },
    ofBody(body: Buffer, sender: AgentRequest): string | undefined {
      if (body.length > maxBytes) return undefined
      const device = idleDevice(parseFields(body)?.['node_key'])
      if (device) bodies.vouch(sender, device)
      return device && idleAnswer
    },
  }
}
