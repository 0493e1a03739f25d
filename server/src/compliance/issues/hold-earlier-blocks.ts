import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { settleAuthStates } from '../../inventory/devices/settle-auth-state.ts'
import { isTakenBack } from '../holds/earlier-blocks.ts'

type HoldOfOrganization = { organizationId: string; holdId: string }

/**
 * Takes back the blocks of the same check that took effect within the hour before a hold began, unless it was released or a
 * person has met one at a sign-in: one cause, one answer.
 */
export const holdEarlierBlocks = (db: Db, hold: HoldOfOrganization, context: ChangeOrigin): Promise<void> =>
  transact(db, (tx) => holdEarlier(tx, hold, context))

async function holdEarlier(tx: Tx, { organizationId, holdId }: HoldOfOrganization, context: ChangeOrigin) {
  const hold = await tx
    .selectFrom('block_holds')
    .select(['check_id', 'began_at', 'decision'])
    .where(inOrganization('block_holds', organizationId))
    .where('id', '=', holdId)
    .executeTakeFirst()
  if (!hold || hold.decision === 'released' || hold.decision === 'ended') return
  const earlier = await tx
    .selectFrom('sudden_blocks')
    .select('device_id')
    .where(inOrganization('sudden_blocks', organizationId))
    .where('check_id', '=', hold.check_id)
    .where('hold_id', '=', holdId)
    .execute()
  const ids = earlier.map(({ device_id: id }) => id)
  const devices = await lockDevices(tx, organizationId, ids)
  const { rows: taken } = await sql<{ device_id: string }>`
    update issues set hold_id = ${holdId}::bigint, blocking_since = null, blocks_device_at = null
    where ${inOrganization('issues', organizationId)} and issues.check_id = ${hold.check_id}::bigint
      and issues.device_id = any(${devices.map(({ id }) => id)}::bigint[])
      and ${isTakenBack(hold.began_at, holdId)}
      and exists (select from block_holds as hold
        where hold.organization_id = issues.organization_id and hold.id = ${holdId}::bigint
          and (hold.decision is null or hold.decision = 'discarded'))
    returning device_id
  `.execute(tx)
  // What a changed configuration has not reached yet is settled by its recomputation.
  const held = new Set(taken.map(({ device_id: id }) => id))
  const moved = devices.filter(({ id }) => held.has(id))
  await settleAuthStates(tx, moved, context)
  await tx
    .updateTable('block_holds')
    .set({ taken_back: moved.length })
    .where(inOrganization('block_holds', organizationId))
    .where('id', '=', holdId)
    .execute()
  await tx
    .deleteFrom('sudden_blocks')
    .where(inOrganization('sudden_blocks', organizationId))
    .where('check_id', '=', hold.check_id)
    .where('hold_id', '=', holdId)
    .execute()
}
