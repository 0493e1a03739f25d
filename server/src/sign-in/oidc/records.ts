import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Reader, Tx } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'

type RecordKind = 'AuthorizationCode' | 'AccessToken'
type Place = { kind: RecordKind; id: string }

/** Codes and tokens are kept by their hash, so that whoever reads the table has none. */
const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** Keeps a code or a token of a sign-in, whose identifier is that of the grant. */
export async function insertRecord(
  db: Db | Tx,
  organizationId: string,
  { kind, id, payload, expiresIn }: Place & { payload: AdapterPayload; expiresIn: number },
  now: string,
): Promise<void> {
  const { jti: _, ...kept } = payload
  await db
    .insertInto('oidc_records')
    .values({
      ...{ organization_id: organizationId, kind, id: hashOf(id), grant_id: payload.grantId ?? null },
      ...{ payload: JSON.stringify(kept), expires_at: plusMs(now, expiresIn * 1000) },
    })
    .execute()
}

/** A code or token that has not expired; a token only while its person is here. */
export async function findRecord(
  reader: Reader,
  organizationId: string,
  { kind, id }: Place,
  now: string,
): Promise<(AdapterPayload & { outcome?: unknown }) | undefined> {
  const row = await reader
    .selectFrom('oidc_records')
    .select(['payload', 'consumed_at'])
    .where(inOrganization('oidc_records', organizationId))
    .where('kind', '=', kind)
    .where('id', '=', hashOf(id))
    .where('expires_at', '>', now)
    .$if(kind === 'AccessToken', (query) => query.where(isPersonHere))
    .executeTakeFirst()
  if (!row) return undefined
  const consumed = row.consumed_at === null ? {} : { consumed: Date.parse(row.consumed_at) / 1000 }
  return { ...row.payload, jti: id, ...consumed }
}

/**
 * Uses up a code. False when it was used before or has expired, also where others use it in the same moment, and when its
 * person has left since.
 */
export async function consumeCode(db: Db, organizationId: string, id: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oidc_records')
    .set({ consumed_at: now })
    .where(inOrganization('oidc_records', organizationId))
    .where('kind', '=', 'AuthorizationCode')
    .where('id', '=', hashOf(id))
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .where(isPersonHere)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A subquery for one row: as a join it would read every sign-in and person where the planner knows little of the tables. */
const isPersonHere = sql<boolean>`(
  select person.deprovisioned_at is null from signin_sessions as session
  cross join lateral (
    select people.deprovisioned_at from people
    where people.organization_id = session.organization_id and people.id = session.person_id limit 1
  ) as person
  where session.organization_id = oidc_records.organization_id and session.id = oidc_records.grant_id limit 1)`

/** Drops what was handed out for a sign-in, as when its code comes a second time (RFC 6749 §4.1.2). */
export async function revokeGrant(db: Db, organizationId: string, grantId: string): Promise<void> {
  await db
    .deleteFrom('oidc_records')
    .where(inOrganization('oidc_records', organizationId))
    .where('grant_id', '=', grantId)
    .execute()
}
