import { setTimeout as pause } from 'node:timers/promises'
import { agentRequest } from '../load/agent-request.ts'
import { openSocket } from '../load/open-socket.ts'
import type { BenchAgent } from './load-agents.ts'
import { onServer } from './open-trial.ts'

/** A process reads notices twice a second. */
const noticedMs = 1_500
const connections = 16

/**
 * Has every check asked of every agent, as though someone had refreshed them all, and returns the names under which
 * they were, by device. What the refreshes themselves cost is over before anything is measured.
 */
export async function handOutAll(
  databaseUrl: string,
  organizationId: string,
  origin: string,
  agents: readonly BenchAgent[],
): Promise<Map<string, string[]>> {
  await onServer(
    databaseUrl,
    `insert into check_refreshes (organization_id, device_id, check_id, requested_at)
     select organization_id, device_id, check_id, clock_timestamp() from check_results
     where organization_id = ${organizationId}
     on conflict on constraint check_refreshes_pkey do update set requested_at = excluded.requested_at;
     insert into agent_notices (organization_id, device_id, created_at) values (${organizationId}, null, now())`,
  )
  await pause(noticedMs)
  const names = new Map<string, string[]>()
  const rest = agents.values()
  await Promise.all(Array.from({ length: connections }, () => readAll(origin, rest, names)))
  await onServer(databaseUrl, `delete from check_refreshes where organization_id = ${organizationId}`)
  return names
}

async function readAll(origin: string, agents: Iterable<BenchAgent>, names: Map<string, string[]>): Promise<void> {
  const socket = await openSocket(origin)
  try {
    for (const agent of agents) {
      const own: string[] = []
      for (let isMore = true; isMore; ) {
        const { body } = await socket.send(agentRequest('read', agent))
        const asked = Object.keys(JSON.parse(body.toString()).queries)
        own.push(...asked)
        isMore = asked.length > 0
      }
      names.set(agent.deviceId, own)
    }
  } finally {
    socket.close()
  }
}
