import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { sealAuthorization } from './authorization-header.ts'
import type { Settings } from './settle-stream.ts'

type Place = { organizationId: string; streamId: string }

export async function storeAuthorization(tx: Tx, secrets: Secrets, place: Place, value: string | null): Promise<void> {
  await tx
    .updateTable('ssf_streams')
    .set({ sealed_authorization_header: value === null ? null : sealAuthorization(secrets, value, place) })
    .where(inOrganization('ssf_streams', place.organizationId))
    .where('id', '=', place.streamId)
    .execute()
}

/** For the audit log, which more people read than may manage streams: the path may hold a secret, the host does not. */
export const receiverOf = ({ endpointUrl }: Pick<Settings, 'endpointUrl'>): string =>
  endpointUrl === null ? 'polled' : `pushed to "${new URL(endpointUrl).host}"`
