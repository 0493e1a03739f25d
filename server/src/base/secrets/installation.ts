import type { Db, Tx } from '../db/transact.ts'

/** Notes at the first call which master key the database belongs to; returns the fingerprint of that key ever after. */
export async function claimInstallation(db: Db, fingerprint: string, now: string): Promise<string> {
  await db
    .insertInto('installation')
    .values({ master_key_fingerprint: fingerprint, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = await db.selectFrom('installation').select('master_key_fingerprint').executeTakeFirstOrThrow()
  return stored.master_key_fingerprint
}

/** Makes room for the note that is part of an import. */
export async function forgetInstallation(tx: Tx): Promise<void> {
  await tx.deleteFrom('installation').execute()
}

/** Notes the address that links in what is told begin with, as it is configured for what serves now. */
export async function rememberBaseUrl(db: Db, baseUrl: string): Promise<void> {
  await db
    .updateTable('installation')
    .set({ base_url: baseUrl })
    .where((build) => build('base_url', 'is distinct from', baseUrl))
    .execute()
}
