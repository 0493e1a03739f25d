import { type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Reader, type Tx, transact } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockBlocks } from '../holds/hold-blocks.ts'

/** A sweep ends no more at once; the next one takes the rest. */
const most = 100

/**
 * Ends the holds of all organizations under which no device is anymore: each is fixed, exempted or gone, so that nothing is
 * left to decide. Returns how many, each ended in a transaction of its own.
 */
export async function endFixedHolds(db: Db, context: () => ChangeOrigin): Promise<number> {
  const fixed = await listFixed(db).limit(most).execute()
  let ended = 0
  for (const hold of fixed) {
    if (await transact(db, (tx) => endHold(tx, hold, context()))) ended += 1
  }
  return ended
}

/** Not before what began the hold has been worked through: its issues may have yet to come under it. */
const listFixed = (reader: Reader) =>
  reader
    .selectFrom('block_holds as hold')
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'hold.organization_id').onRef('checks.id', '=', 'hold.check_id'),
    )
    .select(['hold.organization_id', 'hold.id', 'hold.check_id', 'checks.name'])
    .where('hold.decision', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('issues')
            .select('issues.id')
            .whereRef('issues.organization_id', '=', 'hold.organization_id')
            .whereRef('issues.hold_id', '=', 'hold.id')
            .where('issues.resolved_at', 'is', null)
            .where('issues.exempted', '=', false),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sudden_blocks as earlier')
            .select('earlier.device_id')
            .whereRef('earlier.organization_id', '=', 'hold.organization_id')
            .whereRef('earlier.check_id', '=', 'hold.check_id')
            .whereRef('earlier.hold_id', '=', 'hold.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('check_recomputations as running')
            .select('running.check_id')
            .whereRef('running.organization_id', '=', 'hold.organization_id')
            .whereRef('running.check_id', '=', 'hold.check_id')
            .where('running.finished_at', 'is', null),
        ),
      ),
    )

type FixedHold = Awaited<ReturnType<ReturnType<typeof listFixed>['execute']>>[number]

async function endHold(tx: Tx, { organization_id, id, check_id, name }: FixedHold, context: ChangeOrigin) {
  // Whoever has just put another block under it commits first.
  await lockBlocks(tx, { organizationId: organization_id, checkId: check_id })
  const still = await listFixed(tx)
    .where('hold.organization_id', '=', organization_id)
    .where('hold.id', '=', id)
    .forUpdate('hold')
    .executeTakeFirst()
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
