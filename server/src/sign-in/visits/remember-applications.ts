import type { Reader } from '../../base/db/transact.ts'
import { findConnection } from '../connections/connection-queries.ts'
import type { Again } from '../page/draw-page.ts'

const freshMs = 10_000
const maxApplications = 1_000

/**
 * Finds the application of a client by name, for requests that are refused in numbers: the database is asked once in ten
 * seconds for each client.
 */
export function rememberApplications(reader: Reader) {
  const known = new Map<string, { application: Promise<Again | undefined>; atMs: number }>()

  async function find(organizationId: string, clientId: string): Promise<Again | undefined> {
    const connection = await findConnection(reader, organizationId, clientId)
    return connection && { applicationName: connection.name, startUrl: connection.start_url }
  }

  return ({ organizationId }: { organizationId: string }, clientId: string): Promise<Again | undefined> => {
    const key = `${organizationId}/${clientId}`
    const found = known.get(key)
    const nowMs = performance.now()
    if (found && nowMs - found.atMs < freshMs) return found.application
    const application = find(organizationId, clientId)
    // What failed is asked for again.
    application.catch(() => known.delete(key))
    known.delete(key)
    known.set(key, { application, atMs: nowMs })
    const [oldest] = known.keys()
    if (known.size > maxApplications && oldest !== undefined) known.delete(oldest)
    return application
  }
}
