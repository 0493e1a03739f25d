import { sql } from 'kysely'
import { type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'
import { plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { areHeld, type CheckOfOrganization, readBreaker } from './breaker.ts'
import { breaker } from './hold-rules.ts'

/** A block of a locked device that comes without notice. */
export type SuddenBlock = {
  deviceId: string
  ownerId: string | null
  checkId: string
  context: ChangeOrigin
}

/**
 * Holds the blocks of a check that would hit the devices of more people than its limit within the hour. Returns for
 * each block the hold that it waits under; null where it takes effect. Processes count one after another, by a lock for
 * each check; take it once the devices are locked.
 */
export async function holdBlocks(
  tx: Tx,
  organizationId: string,
  blocks: readonly SuddenBlock[],
): Promise<(string | null)[]> {
  const holds = new Map<string, string>()
  const begun: Begun[] = []
  const byCheck = [...Map.groupBy(blocks, ({ checkId }) => checkId)].sort(
    ([one], [other]) => Number(one) - Number(other),
  )
  for (const [checkId, some] of byCheck) {
    const hold = await holdOf(tx, { organizationId, checkId }, some)
    if (hold === undefined) continue
    holds.set(checkId, hold.id)
    if ('context' in hold) begun.push(hold)
  }
  for (const hold of begun) await recordHold(tx, hold)
  return blocks.map(({ checkId }) => holds.get(checkId) ?? null)
}

type Begun = CheckOfOrganization & { id: string; limit: number; context: ChangeOrigin }

async function holdOf(
  tx: Tx,
  check: CheckOfOrganization,
  blocks: readonly SuddenBlock[],
): Promise<{ id: string } | Begun | undefined> {
  const [first] = blocks
  if (!first) return undefined
  const { now } = first.context
  await lockBlocks(tx, check)
  const standing = await readBreaker(tx, check, now)
  if (standing.way === 'holds') return { id: standing.holdId }
  if (standing.way === 'lets_through') return undefined
  await dropEarlier(tx, check, now)
  const owners = new Set(blocks.flatMap(({ ownerId }) => ownerId ?? []))
  if (await areHeld(standing, owners)) return begin(tx, check, await standing.limit(), first.context)
  await noteBlocks(tx, check, [...new Set(blocks.map(({ deviceId }) => deviceId))], now)
  return undefined
}

/**
 * Begins a hold where the devices of these owners, and of those whose devices the check blocked within the hour, are too
 * many. For blocks that are known before the first of them is put on its device.
 */
export async function holdAheadOf(
  tx: Tx,
  check: CheckOfOrganization,
  owners: ReadonlySet<string>,
  context: ChangeOrigin,
): Promise<void> {
  await lockBlocks(tx, check)
  const standing = await readBreaker(tx, check, context.now)
  if (standing.way !== 'counts' || !(await areHeld(standing, owners))) return
  await dropEarlier(tx, check, context.now)
  await recordHold(tx, await begin(tx, check, await standing.limit(), context))
}

/** Lets nobody else count blocks of a check, or end its hold, until the transaction ends. */
export const lockBlocks = (tx: Tx, { organizationId, checkId }: CheckOfOrganization) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`blocks of ${organizationId}/${checkId}`}, 0))`.execute(tx)

const dropEarlier = (tx: Tx, { organizationId, checkId }: CheckOfOrganization, now: string) =>
  tx
    .deleteFrom('sudden_blocks')
    .where(inOrganization('sudden_blocks', organizationId))
    .where('check_id', '=', checkId)
    .where('hold_id', 'is', null)
    .where('blocked_at', '<=', plusMs(now, -breaker.windowMs))
    .execute()

const noteBlocks = (
  tx: Tx,
  { organizationId, checkId }: CheckOfOrganization,
  deviceIds: readonly string[],
  now: string,
) =>
  sql`
    insert into sudden_blocks (organization_id, check_id, device_id, blocked_at)
    select ${organizationId}::bigint, ${checkId}::bigint, device_id, ${now}::timestamptz
    from unnest(${deviceIds}::bigint[]) as given (device_id)
    on conflict (organization_id, check_id, device_id) do update
      set blocked_at = excluded.blocked_at, hold_id = null
  `.execute(tx)

async function begin(tx: Tx, check: CheckOfOrganization, limit: number, context: ChangeOrigin): Promise<Begun> {
  const { organizationId, checkId } = check
  const { id } = await tx
    .insertInto('block_holds')
    .values({ organization_id: organizationId, check_id: checkId, began_at: context.now, owner_limit: limit })
    .returning('id')
    .executeTakeFirstOrThrow()
  // What took effect before the limit was reached has the same cause. By the order of the lock, not by moments: what waited
  // for it may be earlier than what did not.
  await tx
    .updateTable('sudden_blocks')
    .set({ hold_id: id })
    .where(inOrganization('sudden_blocks', organizationId))
    .where('check_id', '=', checkId)
    .where('hold_id', 'is', null)
    .execute()
  await queueJob(tx, 'hold-earlier-blocks', { organizationId, holdId: id }, { singletonKey: `${organizationId}/${id}` })
  return { ...check, id, limit, context }
}

async function recordHold(tx: Tx, { organizationId, checkId, limit, context }: Begun): Promise<void> {
  const check = await tx
    .selectFrom('checks')
    .select('name')
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .executeTakeFirstOrThrow()
  await recordAudit(
    tx,
    {
      action: 'check.blocks_held',
      about: { check: checkId },
      description: `Held the blocks of the check "${check.name}": it was about to block the devices of more than ${limit} people within an hour.`,
    },
    { ...context, organizationId, actor: systemActor },
  )
}
