import { presentEndpoint } from '../../signals/webhooks/present.ts'
import { type EndpointRecord, listEndpoints } from '../../signals/webhooks/queries.ts'
import { headersReader } from '../../signals/webhooks/write-endpoint.ts'
import type { CommandContext } from '../data-command.ts'

/** Makes the record of the API of an endpoint; `secret` only in the answer that makes it. */
export const endpointPresenter = ({ secrets, now }: CommandContext) => {
  const presenting = { headersOf: headersReader(secrets), now }
  return (row: EndpointRecord, secret?: string) => presentEndpoint(row, presenting, secret)
}

/** All endpoints of an organization, as the API presents them. */
export async function everyEndpoint(context: CommandContext, organizationId: string) {
  const { now, connection } = context
  const page = { organizationId, params: {}, search: undefined, limit: 100, order: 'ascending', now } as const
  const rows: EndpointRecord[] = []
  for (let after: string | undefined; ; after = rows.at(-1)?.id) {
    const more = await listEndpoints(connection.db, { ...page, after })
    rows.push(...more)
    if (more.length < page.limit) break
  }
  const present = endpointPresenter(context)
  return rows.map((row) => present(row))
}
