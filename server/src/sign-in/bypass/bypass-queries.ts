import type { ExpressionBuilder } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { plusMs } from '../../base/time.ts'
import { bypassLimits } from './code-text.ts'

type Offered = { organizationId: string; connectionId: string; personId: string; now: string }
export type BypassOffer = { isGiven: boolean; triesLeft: number | null }

/** Whether a code waits for a person at a connection, and how many tries they have left after a wrong one. */
export async function findBypassOffer(reader: Reader, offered: Offered): Promise<BypassOffer> {
  const { organizationId, connectionId, personId, now } = offered
  const row = await reader
    .selectNoFrom((build) => [
      build
        .exists(
          build
            .selectFrom('bypass_codes')
            .select('id')
            .where(inOrganization('bypass_codes', organizationId))
            .where('person_id', '=', personId)
            .where('connection_id', '=', connectionId)
            .where((code) => isOpen(code, now)),
        )
        .as('isGiven'),
      build
        .selectFrom('bypass_attempts')
        .select('tries')
        .where(inOrganization('bypass_attempts', organizationId))
        .where('person_id', '=', personId)
        .where('started_at', '>', plusMs(now, -bypassLimits.windowMs))
        .as('tries'),
    ])
    .executeTakeFirstOrThrow()
  const triesLeft = row.tries ? Math.max(0, bypassLimits.tries - row.tries) : null
  return { isGiven: Boolean(row.isGiven), triesLeft }
}

const isOpen = (code: ExpressionBuilder<Database, 'bypass_codes'>, now: string) =>
  code.and([code('used_at', 'is', null), code('withdrawn_at', 'is', null), code('expires_at', '>', now)])

const newestFirst: Keyset = { id: { column: 'bypass_codes.id', type: 'bigint' }, direction: 'desc' }

export type BypassCodeRow = Awaited<ReturnType<typeof listBypassCodes>>[number]

/** The codes of an organization, the newest first; never the codes themselves. */
export const listBypassCodes = (
  reader: Reader,
  { organizationId, after, limit }: ListPage,
  { person_id: personId, connection_id: connectionId }: { person_id?: string; connection_id?: string },
) =>
  reader
    .selectFrom('bypass_codes')
    .innerJoin('people as person', (join) =>
      join
        .onRef('person.organization_id', '=', 'bypass_codes.organization_id')
        .onRef('person.id', '=', 'bypass_codes.person_id'),
    )
    .innerJoin('signin_connections as connection', (join) =>
      join
        .onRef('connection.organization_id', '=', 'bypass_codes.organization_id')
        .onRef('connection.id', '=', 'bypass_codes.connection_id'),
    )
    .select([
      ...(['bypass_codes.id', 'bypass_codes.person_id', 'bypass_codes.connection_id', 'bypass_codes.reason'] as const),
      ...(['bypass_codes.made_by', 'bypass_codes.created_at', 'bypass_codes.expires_at'] as const),
      ...(['bypass_codes.used_at', 'bypass_codes.withdrawn_at'] as const),
      ...(['person.name as person_name', 'connection.name as connection_name'] as const),
    ])
    .where(inOrganization('bypass_codes', organizationId))
    .$if(personId !== undefined, (query) => query.where('bypass_codes.person_id', '=', personId ?? ''))
    .$if(connectionId !== undefined, (query) => query.where('bypass_codes.connection_id', '=', connectionId ?? ''))
    .$call(nextRows(newestFirst, after, limit))
    .execute()
