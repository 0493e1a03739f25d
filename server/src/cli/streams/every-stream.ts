import { authorizationReader } from '../../signals/streams/authorization-header.ts'
import { presentStream } from '../../signals/streams/present.ts'
import { listStreams } from '../../signals/streams/queries.ts'
import type { CommandContext } from '../data-command.ts'

/** All streams of an organization, as the API presents them, with their status. */
export async function everyStream({ connection, secrets, config, now }: CommandContext, organizationId: string) {
  const presenting = { baseUrl: config.baseUrl, authorizationOf: authorizationReader(secrets) }
  const page = { organizationId, params: {}, search: undefined, limit: 100, order: 'ascending', now } as const
  const rows = await listStreams(connection.db, { ...page, after: undefined })
  for (let length = rows.length; length === page.limit; ) {
    const more = await listStreams(connection.db, { ...page, after: rows.at(-1)?.id })
    rows.push(...more)
    length = more.length
  }
  return rows.map((row) => ({ ...presentStream(row, presenting), status: row.status }))
}
