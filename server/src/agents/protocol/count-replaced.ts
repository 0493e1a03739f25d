import { isUtf8 } from 'node:buffer'
import type { AgentContext } from './agent-context.ts'

/**
 * Counts a body with bytes that are not UTF-8. It is taken all the same, with U+FFFD in their place: file names need not be
 * UTF-8, and osquery sends what was refused again for ever.
 */
export function countReplaced({ metrics }: Pick<AgentContext, 'metrics'>, body: Buffer): void {
  if (!isUtf8(body)) metrics.replacedBodies.inc()
}
