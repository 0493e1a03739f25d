import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

type Place = { organizationId: string; connectionId: string }

/**
 * How far the clock of a caller is ahead of ours, by its latest signed requests, in milliseconds; negative where it is behind. Of
 * several requests the one that took the least time to arrive says it best. Undefined where no sign-in of late has a signed request.
 */
export async function readCallerClock(reader: Reader, place: Place): Promise<number | undefined> {
  const { organizationId, connectionId } = place
  const { ahead } = await reader
    .selectFrom('signin_sessions')
    .select((build) => build.fn.max('caller_ahead_ms').as('ahead'))
    .where(inOrganization('signin_sessions', organizationId))
    .where('connection_id', '=', connectionId)
    .executeTakeFirstOrThrow()
  return ahead ?? undefined
}
