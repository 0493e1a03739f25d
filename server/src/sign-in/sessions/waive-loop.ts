import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import type { SignInSession } from './session-queries.ts'

/** Lets a sign-in be answered although its application keeps asking, as the person wants to try once more. */
export async function waiveLoop(
  db: Db,
  { organization_id: organizationId, id }: SignInSession,
  now: string,
): Promise<void> {
  await transact(db, (tx) =>
    tx
      .updateTable('signin_sessions')
      .set((row) => ({ is_loop_waived: true, last_event_at: now, revision: row('revision', '+', 1) }))
      .where(inOrganization('signin_sessions', organizationId))
      .where('id', '=', id)
      .execute(),
  )
}
