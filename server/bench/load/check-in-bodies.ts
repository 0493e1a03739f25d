import { queryName } from '../../src/agents/protocol/query-names.ts'
import type { Secrets } from '../../src/base/secrets/secrets.ts'
import type { BenchAgent } from '../trial/load-agents.ts'
import { agentRequest } from './agent-request.ts'

export type Report = {
  status: 'PASS' | 'FAIL'
  /** Another version is another result. */
  version: string
}

/** The names under which each device would be asked all checks at a moment. */
export function namesAt(
  issuedAtMs: number,
  secrets: Secrets,
  organizationId: string,
  agents: readonly BenchAgent[],
  checkIds: readonly string[],
): Map<string, string[]> {
  const nameOf = (deviceId: string, id: string) =>
    queryName(secrets, { organizationId, deviceId }, { kind: 'check', id, revision: '1', issuedAtMs })
  return new Map(agents.map(({ deviceId }) => [deviceId, checkIds.map((id) => nameOf(deviceId, id))]))
}

/** One distributed write for each device, which answers all that it was asked at once. */
export function checkInBodies(
  agents: readonly BenchAgent[],
  namesOf: ReadonlyMap<string, readonly string[]>,
  { status, version }: Report,
): Buffer[] {
  return agents.map((agent) => {
    const names = namesOf.get(agent.deviceId) ?? []
    const row = { KOLIDE_CHECK_STATUS: status, version, path: '/usr/local/lib/example' }
    return agentRequest('write', agent, {
      queries: Object.fromEntries(names.map((name) => [name, [row]])),
      statuses: Object.fromEntries(names.map((name) => [name, 0])),
    })
  })
}
