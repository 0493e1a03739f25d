import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Clock } from '../../base/clock.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db } from '../../base/db/transact.ts'
import { isStorable, unstorableTexts } from '../../base/storable.ts'
import { plusMs } from '../../base/time.ts'

/** The records of one kind of the OpenID provider of an organization, in `oidc_records`. */
export function recordAdapter(db: Db, clock: Clock, organizationId: string, kind: string): Adapter {
  const ofKind = inOrganization('oidc_records', organizationId)

  async function findBy(column: 'id' | 'uid', value: string): Promise<AdapterPayload | undefined> {
    if (!isStorable(value)) return undefined
    const row = await db
      .selectFrom('oidc_records')
      .select(['payload', 'consumed_at'])
      .where(ofKind)
      .where('kind', '=', kind)
      .where(column, '=', value)
      .where('expires_at', '>', clock())
      .executeTakeFirst()
    if (!row) return undefined
    return { ...row.payload, ...(row.consumed_at !== null && { consumed: Date.parse(row.consumed_at) / 1000 }) }
  }

  // Every request is a device check, so that no session of the provider is ever looked for again.
  if (kind === 'Session') return nothingKept

  // One statement is a transaction of its own: begin and commit would be two more round trips for each record.
  return {
    async upsert(id, payload, expiresIn) {
      if (unstorableTexts(payload).length > 0) throw new errors.InvalidRequest('the request holds NUL')
      const row = {
        payload: JSON.stringify(payload),
        grant_id: payload.grantId ?? null,
        uid: payload.uid ?? null,
        expires_at: plusMs(clock(), (expiresIn || 600) * 1000),
      }
      await db
        .insertInto('oidc_records')
        .values({ organization_id: organizationId, kind, id, ...row })
        .onConflict((conflict) => conflict.columns(['organization_id', 'kind', 'id']).doUpdateSet(row))
        .execute()
    },
    find: (id) => findBy('id', id),
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: async () => undefined,
    async consume(id) {
      const { numUpdatedRows } = await db
        .updateTable('oidc_records')
        .set({ consumed_at: clock() })
        .where(ofKind)
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where('consumed_at', 'is', null)
        .executeTakeFirst()
      // Of several that found it unused at the same time, one uses it.
      if (numUpdatedRows === 0n) throw new errors.InvalidGrant('it was used before')
    },
    async destroy(id) {
      await db.deleteFrom('oidc_records').where(ofKind).where('kind', '=', kind).where('id', '=', id).execute()
    },
    async revokeByGrantId(grantId) {
      await db.deleteFrom('oidc_records').where(ofKind).where('grant_id', '=', grantId).execute()
    },
  }
}

const nothingKept: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}
