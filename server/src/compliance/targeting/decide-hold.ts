import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { requestRecomputation } from './request-recomputation.ts'

/**
 * Lets the held blocks of a check take effect from now on, also those that were discarded before, and the further blocks
 * of it within a day. Fails with not_found, and with invalid where they were released already.
 */
export async function releaseHold(tx: Tx, holdId: string, context: ChangeContext): Promise<void> {
  const hold = await lockHold(tx, holdId, context)
  if (hold.decision === 'released') refuse('was released already')
  if (hold.decision === 'ended') refuse('has ended: nothing is held anymore')
  await decide(tx, holdId, 'released', context)
  await requestRecomputation(tx, { checkId: hold.check_id, scope: 'open_issues' }, context)
  await recordAudit(
    tx,
    {
      action: 'check.blocks_released',
      about: { check: hold.check_id },
      description: `Released the held blocks of the check "${hold.name}".`,
    },
    context,
  )
}

/**
 * Has the held blocks of a check never take effect: the issues stay open and block nobody, until they are resolved or the
 * check ceases to block. Fails with not_found, and with invalid where someone has decided already.
 */
export async function discardHold(tx: Tx, holdId: string, context: ChangeContext): Promise<void> {
  const hold = await lockHold(tx, holdId, context)
  if (hold.decision === 'ended') refuse('has ended: nothing is held anymore')
  if (hold.decision !== null) refuse(`was ${hold.decision} already`)
  await decide(tx, holdId, 'discarded', context)
  await recordAudit(
    tx,
    {
      action: 'check.blocks_discarded',
      about: { check: hold.check_id },
      description: `Discarded the held blocks of the check "${hold.name}".`,
    },
    context,
  )
}

/** Ends the holds of a check that blocks nobody anymore, also those that were discarded: what it blocks later is counted. */
export async function endHoldsOfCheck(tx: Tx, checkId: string, context: ChangeContext): Promise<void> {
  await tx
    .updateTable('block_holds')
    .set({ decision: 'ended', decided_at: context.now, decided_by: context.actor.name })
    .where(inOrganization('block_holds', context.organizationId))
    .where('check_id', '=', checkId)
    .where((build) => build.or([build('decision', 'is', null), build('decision', '=', 'discarded')]))
    .execute()
}

const lockHold = async (tx: Tx, holdId: string, { organizationId }: ChangeContext) =>
  orNotFound(
    await tx
      .selectFrom('block_holds')
      .innerJoin('checks', (join) =>
        join
          .onRef('checks.organization_id', '=', 'block_holds.organization_id')
          .onRef('checks.id', '=', 'block_holds.check_id'),
      )
      .select(['block_holds.check_id', 'block_holds.decision', 'checks.name'])
      .where(inOrganization('block_holds', organizationId))
      .where('block_holds.id', '=', holdId)
      .forUpdate('block_holds')
      .executeTakeFirst(),
  )

async function decide(
  tx: Tx,
  holdId: string,
  decision: 'released' | 'discarded',
  { organizationId, actor, now }: ChangeContext,
) {
  await tx
    .updateTable('block_holds')
    .set({ decision, decided_at: now, decided_by: actor.name })
    .where(inOrganization('block_holds', organizationId))
    .where('id', '=', holdId)
    .execute()
}

const refuse = (message: string): never => fail('invalid', { errors: [{ field: 'block_hold_id', message }] })
