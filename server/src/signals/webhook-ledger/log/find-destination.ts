import { inOrganization } from '../../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../../base/db/transact.ts'

type EndpointKey = { organizationId: string; endpointId: string }

export type Destination = NonNullable<Awaited<ReturnType<typeof findDestination>>>

const fromEndpoints = (reader: Reader, { organizationId, endpointId }: EndpointKey) =>
  reader
    .selectFrom('webhook_endpoints')
    .select(['organization_id', 'id', 'url', 'disabled_at'])
    .where(inOrganization('webhook_endpoints', organizationId))
    .where('id', '=', endpointId)
    .where('deleted_at', 'is', null)

/** The endpoint that deliveries go to. */
export const findDestination = (reader: Reader, key: EndpointKey) => fromEndpoints(reader, key).executeTakeFirst()

/** The same, locked until the transaction ends: manual deliveries to an endpoint are queued one after the other. */
export const lockDestination = (tx: Tx, key: EndpointKey): Promise<Destination | undefined> =>
  fromEndpoints(tx, key).forNoKeyUpdate().executeTakeFirst()
