import type { Tx } from '../../base/db/transact.ts'

type NewPassword = { organizationId: string; adminUserId: string; passwordHash: string; now: string }

/** From the commit on this password is good, and no other. Its hash is made before the transaction, as it takes long. */
export async function setPassword(tx: Tx, asked: NewPassword): Promise<void> {
  const { organizationId, adminUserId, passwordHash, now } = asked
  const password = { password_hash: passwordHash, password_changed_at: now }
  await tx
    .insertInto('admin_credentials')
    .values({ organization_id: organizationId, admin_user_id: adminUserId, ...password })
    .onConflict((conflict) => conflict.constraint('admin_credentials_pkey').doUpdateSet(password))
    .execute()
}
