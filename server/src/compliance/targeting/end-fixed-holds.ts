import { sql } from 'kysely'
import { type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockBlocks } from '../holds/hold-blocks.ts'

/** A sweep ends no more at once; the next one takes the rest. */
const most = 100

/**
 * Ends the holds of all organizations under which no device is anymore: each is fixed, exempted or gone, so that nothing is
 * left to decide. Returns how many, each ended in a transaction of its own.
 */
export async function endFixedHolds(db: Db, context: () => ChangeOrigin): Promise<number> {
  let ended = 0
  for (const hold of await listFixed(db)) {
    if (await transact(db, (tx) => endHold(tx, hold, context()))) ended += 1
  }
  return ended
}

type FixedHold = { organization_id: string; id: string; check_id: string; name: string }

/** Not before what began the hold has been worked through: its issues may have yet to come under it. `only`: that one, locked. */
async function listFixed(executor: Db | Tx, only?: FixedHold): Promise<FixedHold[]> {
  const { rows } = await sql<FixedHold>`
    select hold.organization_id, hold.id, hold.check_id, checks.name from block_holds as hold
    join checks on checks.organization_id = hold.organization_id and checks.id = hold.check_id
    where hold.decision is null
      and not exists (select from issues where issues.organization_id = hold.organization_id and issues.hold_id = hold.id
        and issues.resolved_at is null and not issues.exempted)
      and not exists (select from sudden_blocks as earlier where earlier.organization_id = hold.organization_id
        and earlier.check_id = hold.check_id and earlier.hold_id = hold.id)
      and not exists (select from check_recomputations as running where running.organization_id = hold.organization_id
        and running.check_id = hold.check_id and running.finished_at is null)
      ${only ? sql`and hold.organization_id = ${only.organization_id}::bigint and hold.id = ${only.id}::bigint` : sql``}
    limit ${most} ${only ? sql`for update of hold` : sql``}
  `.execute(executor)
  return rows
}

async function endHold(tx: Tx, hold: FixedHold, context: ChangeOrigin): Promise<boolean> {
  const { organization_id, id, check_id, name } = hold
  // Whoever has just put another block under it commits first.
  await lockBlocks(tx, { organizationId: organization_id, checkId: check_id })
  const [still] = await listFixed(tx, hold)
  if (!still) return false
  await tx
    .updateTable('block_holds')
    .set({ decision: 'ended', decided_at: context.now, decided_by: systemActor.name })
    .where(inOrganization('block_holds', organization_id))
    .where('id', '=', id)
    .execute()
  await recordAudit(
    tx,
    {
      action: 'check.hold_ended',
      about: { check: check_id },
      description: `Ended the hold of the check "${name}": no device that it holds fails the check anymore.`,
    },
    { ...context, organizationId: organization_id, actor: systemActor },
  )
  return true
}
