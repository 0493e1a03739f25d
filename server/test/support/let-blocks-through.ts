import type { Db } from '../../src/base/db/transact.ts'

/** As if an administrator had just released blocks of the check, so that no number of further ones is held for a day. */
export async function letBlocksThrough(db: Db, organizationId: string, checkId: string, now: string): Promise<void> {
  await db
    .insertInto('block_holds')
    .values({
      ...{ organization_id: organizationId, check_id: checkId, began_at: now, owner_limit: 10 },
      ...{ decision: 'released', decided_at: now, decided_by: 'Ada Lovelace' },
    })
    .execute()
}
