import type { BenchAgent } from '../trial/load-agents.ts'
import { requestBytes } from './http-request.ts'

/**
 * A request as agents since osquery 5.23 send it: the node key is in a header and in the body. Older ones have it in the
 * body alone.
 */
export function agentRequest(
  call: 'read' | 'write',
  { nodeKey }: BenchAgent,
  fields: object = {},
  hasHeader = true,
): Buffer {
  return requestBytes({
    method: 'POST',
    path: `/api/v1/osquery/distributed/${call}`,
    headers: hasHeader ? { authorization: `NodeKey ${nodeKey}` } : {},
    body: JSON.stringify({ node_key: nodeKey, ...fields }),
  })
}
