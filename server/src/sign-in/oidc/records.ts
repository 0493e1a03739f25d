import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Reader, type Tx, transact } from '../../base/db/transact.ts'
import { clockToleranceMs, plusMs } from '../../base/time.ts'

type RecordKind = 'AuthorizationCode' | 'AccessToken'
type Place = { kind: RecordKind; id: string }

/** Codes and tokens are kept by their hash, so that whoever reads the table has none. */
const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** What is handed out for a sign-in, whose identifier is that of the grant. */
type HandedOut = { id: string; payload: AdapterPayload; expiresIn: number }

export async function insertCode(tx: Tx, organizationId: string, code: HandedOut, now: string): Promise<void> {
  const row = { organization_id: organizationId, kind: 'AuthorizationCode', ...rowOf(code, now) }
  await tx.insertInto('oidc_records').values(row).execute()
}

/** Keeps the token of a code. False where what the code has given was revoked since the code was used. */
export async function insertToken(db: Db, organizationId: string, token: HandedOut, now: string): Promise<boolean> {
  const row = rowOf(token, now)
  const { rows } = await sql`
    insert into oidc_records (organization_id, kind, id, grant_id, payload, expires_at)
    select organization_id, 'AccessToken', ${row.id}, grant_id, ${row.payload}::jsonb, ${row.expires_at}::timestamptz
    from oidc_records as code
    where code.organization_id = ${organizationId}::bigint and code.grant_id = ${row.grant_id}
      and code.kind = 'AuthorizationCode'
    for key share of code
    returning id`.execute(db)
  return rows.length > 0
}

function rowOf({ id, payload, expiresIn }: HandedOut, now: string) {
  const { jti: _, ...kept } = payload
  return {
    ...{ id: hashOf(id), grant_id: payload.grantId ?? null },
    ...{ payload: JSON.stringify(kept), expires_at: plusMs(now, expiresIn * 1000) },
  }
}

/** How long each is good for. What ends later was written while a clock was ahead. */
export const lifeSeconds: Record<RecordKind, number> = { AuthorizationCode: 60, AccessToken: 300 }

const isGood = (kind: RecordKind, now: string) => {
  const latest = plusMs(now, lifeSeconds[kind] * 1_000 + clockToleranceMs)
  return sql<boolean>`expires_at > ${now}::timestamptz and expires_at <= ${latest}::timestamptz`
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
    .where(isGood(kind, now))
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
    .where(isGood('AuthorizationCode', now))
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

/**
 * Drops what was handed out for a sign-in, as when its code comes a second time (RFC 6749 §4.1.2). A token that is being written
 * in the same moment is waited for, and dropped as well.
 */
export async function revokeGrant(db: Db, organizationId: string, grantId: string): Promise<void> {
  await transact(db, async (tx) => {
    await tx
      .selectFrom('oidc_records')
      .select('id')
      .where(inOrganization('oidc_records', organizationId))
      .where('grant_id', '=', grantId)
      .orderBy('kind')
      .orderBy('id')
      .forUpdate()
      .execute()
    // A statement of its own sees what was written until the locks were held.
    await tx
      .deleteFrom('oidc_records')
      .where(inOrganization('oidc_records', organizationId))
      .where('grant_id', '=', grantId)
      .execute()
  })
}
