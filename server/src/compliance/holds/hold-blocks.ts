import { type Insertable, sql } from 'kysely'
import { type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'
import { plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { areHeld, type Breaker, type CheckOfOrganization, latestHold, readBreaker } from './breaker.ts'
import { breaker } from './hold-rules.ts'

/** A block of a locked device that comes without notice, or that an upgrade may be the cause of. */
export type NewBlock = {
  deviceId: string
  ownerId: string | null
  checkId: string
  isSudden: boolean
  /** Of the query that an upgrade brought and the device answers for the first time; null for every other block. */
  upgradedQuery: string | null
  context: ChangeOrigin
}

/**
 * Holds what an upgrade may have caused, and the blocks of a check that would hit the devices of more people than its limit
 * within the hour. Returns for each block the hold that it waits under; null where it takes effect. Processes count one
 * after another, by a lock for each check; take it once the devices are locked.
 */
export async function holdBlocks(
  tx: Tx,
  organizationId: string,
  blocks: readonly NewBlock[],
): Promise<(string | null)[]> {
  const holds = new Map<NewBlock, string>()
  const begun: Begun[] = []
  const byCheck = [...Map.groupBy(blocks, ({ checkId }) => checkId)].sort(
    ([one], [other]) => Number(one) - Number(other),
  )
  for (const [checkId, some] of byCheck) {
    const check = { organizationId, checkId }
    await lockBlocks(tx, check)
    const put = (under: readonly NewBlock[], hold: { id: string } | Begun | undefined) => {
      if (hold === undefined) return
      for (const block of under) holds.set(block, hold.id)
      if ('context' in hold) begun.push(hold)
    }
    const first = some.filter(({ upgradedQuery }) => upgradedQuery !== null)
    put(first, await holdOfUpgrade(tx, check, first))
    const sudden = some.filter((block) => block.isSudden && !holds.has(block))
    put(sudden, await holdOf(tx, check, sudden))
  }
  for (const hold of begun) await recordHold(tx, hold)
  return blocks.map((block) => holds.get(block) ?? null)
}

/** `limit`: the devices of how many people; null where an upgrade is the cause. */
type Begun = CheckOfOrganization & { id: string; limit: number | null; context: ChangeOrigin }

/**
 * What fails with a device's first answer to the query that an upgrade brought may be a fault of the upgrade: it waits until
 * someone has seen it. Once a hold of that query was released, later first answers block as others do.
 */
async function holdOfUpgrade(
  tx: Tx,
  check: CheckOfOrganization,
  [first]: readonly NewBlock[],
): Promise<{ id: string } | Begun | undefined> {
  if (!first) return undefined
  const { upgradedQuery, context } = first
  const last = await latestHold(tx, check)
  if (last?.decision === null) {
    const isWider = last.upgraded_query_revision !== upgradedQuery
    if (isWider) await changeHold(tx, check, last.id, { upgraded_query_revision: upgradedQuery })
    return { id: last.id }
  }
  if (await wasReleased(tx, check, upgradedQuery)) return undefined
  const id = await insertHold(tx, check, { began_at: context.now, upgraded_query_revision: upgradedQuery })
  return { ...check, id, limit: null, context }
}

async function wasReleased(tx: Tx, { organizationId, checkId }: CheckOfOrganization, upgradedQuery: string | null) {
  const found = await tx
    .selectFrom('block_holds')
    .select('id')
    .where(inOrganization('block_holds', organizationId))
    .where('check_id', '=', checkId)
    .where('upgraded_query_revision', '=', upgradedQuery)
    .where('decision', '=', 'released')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** The blocks of the check are locked. */
async function holdOf(
  tx: Tx,
  check: CheckOfOrganization,
  blocks: readonly NewBlock[],
): Promise<{ id: string } | Begun | undefined> {
  const [first] = blocks
  if (!first) return undefined
  const { now } = first.context
  const standing = await readBreaker(tx, check, now)
  if (standing.way === 'holds') return { id: standing.holdId }
  if (standing.way === 'lets_through') return undefined
  await dropEarlier(tx, check, now)
  const owners = new Set(blocks.flatMap(({ ownerId }) => ownerId ?? []))
  if (await areHeld(standing, owners)) return begin(tx, check, standing, first.context)
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
  await recordHold(tx, await begin(tx, check, standing, context))
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

type Counting = Extract<Breaker, { way: 'counts' }>

async function begin(tx: Tx, check: CheckOfOrganization, standing: Counting, context: ChangeOrigin): Promise<Begun> {
  const { organizationId, checkId } = check
  const limit = await standing.limit()
  const begun = { began_at: context.now, owner_limit: limit }
  const { openHoldId } = standing
  if (openHoldId !== null) await changeHold(tx, check, openHoldId, begun)
  const id = openHoldId ?? (await insertHold(tx, check, begun))
  // What took effect before the limit was reached has the same cause. By the order of the lock, not by moments: what waited
  // for it may be earlier than what did not.
  await tx
    .updateTable('sudden_blocks')
    .set({ hold_id: id })
    .where(inOrganization('sudden_blocks', organizationId))
    .where('check_id', '=', checkId)
    .where('hold_id', 'is', null)
    .execute()
  const { cause, requestId } = context
  const job = { organizationId, holdId: id, cause, requestId }
  await queueJob(tx, 'hold-earlier-blocks', job, { singletonKey: `${organizationId}/${id}` })
  return { ...check, id, limit, context }
}

type HoldValues = Pick<Insertable<Database['block_holds']>, 'began_at' | 'owner_limit' | 'upgraded_query_revision'>

async function insertHold(tx: Tx, { organizationId, checkId }: CheckOfOrganization, values: HoldValues) {
  const { id } = await tx
    .insertInto('block_holds')
    .values({ organization_id: organizationId, check_id: checkId, ...values })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const changeHold = (tx: Tx, { organizationId }: CheckOfOrganization, id: string, values: Partial<HoldValues>) =>
  tx
    .updateTable('block_holds')
    .set(values)
    .where(inOrganization('block_holds', organizationId))
    .where('id', '=', id)
    .execute()

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
      description: `Held the blocks of the check "${check.name}": ${whyHeld(limit)}.`,
    },
    { ...context, organizationId, actor: systemActor },
  )
}

const whyHeld = (limit: number | null): string =>
  limit === null
    ? 'an upgrade of Muster changed its query, and devices fail it that did not fail it before'
    : `it was about to block the devices of more than ${limit} people within an hour`
