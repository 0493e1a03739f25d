import { queryName } from '../../src/agents/query-names.ts'
import type { Secrets } from '../../src/secrets/secrets.ts'
import type { BenchAgent } from '../trial/load-agents.ts'
import { agentRequest } from './agent-request.ts'

export type Report = {
  status: 'PASS' | 'FAIL'
  /** Another version is another result. */
  version: string
  issuedAtMs: number
}

/** One distributed write for each device, which answers all of its checks at once. */
export function checkInBodies(
  secrets: Secrets,
  organizationId: string,
  agents: readonly BenchAgent[],
  checkIds: readonly string[],
  { status, version, issuedAtMs }: Report,
): Buffer[] {
  return agents.map((agent) => {
    const names = checkIds.map((checkId) =>
      queryName(
        secrets,
        { organizationId, deviceId: agent.deviceId },
        { kind: 'check', id: checkId, revision: '1', issuedAtMs },
      ),
    )
    const row = { KOLIDE_CHECK_STATUS: status, version, path: '/usr/local/lib/example' }
    return agentRequest('write', agent, {
      queries: Object.fromEntries(names.map((name) => [name, [row]])),
      statuses: Object.fromEntries(names.map((name) => [name, 0])),
    })
  })
}
