import { sql } from 'kysely'
import { type ChangeOrigin, systemActor } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'
import { plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { breaker, type HoldDecision, isSudden, limitOf, registeredThatCount } from './hold-rules.ts'

/** A decision about one issue of a locked device. */
export type Block = {
  deviceId: string
  checkId: string
  /** When the issue blocked the device until now; null when it did not. */
  before: string | null
  after: string | null
  context: ChangeOrigin
}

/**
 * Holds the blocks of a check that would hit more devices than its limit within the hour, without notice. Returns for
 * each block the hold that it waits under; null where it takes effect. Processes count one after another, by a lock for
 * each check; take it once the devices are locked.
 */
export async function holdBlocks(tx: Tx, organizationId: string, blocks: readonly Block[]): Promise<(string | null)[]> {
  const sudden = blocks.filter(({ before, after, context }) => isSudden(before, after, context.now))
  if (sudden.length === 0) return blocks.map(() => null)
  const holds = new Map<string, string>()
  const begun: Begun[] = []
  const byCheck = [...Map.groupBy(sudden, ({ checkId }) => checkId)].sort(
    ([one], [other]) => Number(one) - Number(other),
  )
  for (const [checkId, some] of byCheck) {
    const hold = await holdOf(tx, organizationId, checkId, some)
    if (hold === undefined) continue
    holds.set(checkId, hold.id)
    if ('context' in hold) begun.push(hold)
  }
  for (const hold of begun) await recordHold(tx, organizationId, hold)
  const held = new Set(sudden)
  return blocks.map((block) => (held.has(block) ? (holds.get(block.checkId) ?? null) : null))
}

type Begun = { id: string; checkId: string; limit: number; context: ChangeOrigin }

async function holdOf(
  tx: Tx,
  organizationId: string,
  checkId: string,
  blocks: readonly Block[],
): Promise<{ id: string } | Begun | undefined> {
  const [first] = blocks
  if (!first) return undefined
  const { context } = first
  await lockBlocks(tx, organizationId, checkId)
  const last = await latestHold(tx, { organizationId, checkId })
  if (last?.decision === null) return last
  if (isLetThrough(last, context.now)) return undefined
  const deviceIds = [...new Set(blocks.map(({ deviceId }) => deviceId))]
  const recent = await noteBlocks(tx, { organizationId, checkId, deviceIds }, context.now)
  if (recent <= breaker.fewest) return undefined
  const limit = await readLimit(tx, organizationId)
  return recent > limit ? begin(tx, { organizationId, checkId, limit }, context) : undefined
}

/** `room`: so many further devices the check may block without notice now, before their blocks are held. */
export async function readRoom(reader: Reader, check: CheckOfOrganization, now: string) {
  const last = await latestHold(reader, check)
  const limit = await readLimit(reader, check.organizationId)
  if (isLetThrough(last, now)) return { limit, room: Number.POSITIVE_INFINITY }
  if (last?.decision === null) return { limit, room: 0 }
  return { limit, room: limit - (await countSuddenBlocks(reader, check, now)) }
}

const lockBlocks = (tx: Tx, organizationId: string, checkId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`blocks of ${organizationId}/${checkId}`}, 0))`.execute(tx)

type LatestHold = { id: string; decision: HoldDecision | null; decided_at: string | null }

type CheckOfOrganization = { organizationId: string; checkId: string }

const latestHold = (
  reader: Reader,
  { organizationId, checkId }: CheckOfOrganization,
): Promise<LatestHold | undefined> =>
  reader
    .selectFrom('block_holds')
    .select(['id', 'decision', 'decided_at'])
    .where(inOrganization('block_holds', organizationId))
    .where('check_id', '=', checkId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Whether someone has just seen how many devices the check blocks, and let it. */
const isLetThrough = (last: LatestHold | undefined, now: string): boolean =>
  last?.decision === 'released' && (last.decided_at ?? '') > plusMs(now, -breaker.releasedMs)

type Noted = CheckOfOrganization & { deviceIds: readonly string[] }

/** Returns how many devices the check has newly blocked within the window, these included. */
async function noteBlocks(tx: Tx, { organizationId, checkId, deviceIds }: Noted, now: string): Promise<number> {
  await tx
    .deleteFrom('sudden_blocks')
    .where(inOrganization('sudden_blocks', organizationId))
    .where('check_id', '=', checkId)
    .where('hold_id', 'is', null)
    .where('blocked_at', '<=', plusMs(now, -breaker.windowMs))
    .execute()
  await sql`
    insert into sudden_blocks (organization_id, check_id, device_id, blocked_at)
    select ${organizationId}::bigint, ${checkId}::bigint, device_id, ${now}::timestamptz
    from unnest(${deviceIds}::bigint[]) as given (device_id)
    on conflict (organization_id, check_id, device_id) do update
      set blocked_at = excluded.blocked_at, hold_id = null
  `.execute(tx)
  return countSuddenBlocks(tx, { organizationId, checkId }, now)
}

/** Those of a hold are not counted towards the next one. */
async function countSuddenBlocks(
  reader: Reader,
  { organizationId, checkId }: CheckOfOrganization,
  now: string,
): Promise<number> {
  const { count } = await reader
    .selectFrom('sudden_blocks')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(inOrganization('sudden_blocks', organizationId))
    .where('check_id', '=', checkId)
    .where('hold_id', 'is', null)
    .where('blocked_at', '>', plusMs(now, -breaker.windowMs))
    .executeTakeFirstOrThrow()
  return count
}

/** So many devices one check may newly block within the hour. */
async function readLimit(reader: Reader, organizationId: string): Promise<number> {
  const registered = reader
    .selectFrom('devices')
    .select('id')
    .where(inOrganization('devices', organizationId))
    .where('registered_owner_id', 'is not', null)
    .where('deleted_at', 'is', null)
    .limit(registeredThatCount)
  const { count } = await reader
    .selectFrom(registered.as('registered'))
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  return limitOf(count)
}

type Beginning = CheckOfOrganization & { limit: number }

async function begin(tx: Tx, { organizationId, checkId, limit }: Beginning, context: ChangeOrigin): Promise<Begun> {
  const { id } = await tx
    .insertInto('block_holds')
    .values({ organization_id: organizationId, check_id: checkId, began_at: context.now, device_limit: limit })
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
  return { id, checkId, limit, context }
}

async function recordHold(tx: Tx, organizationId: string, { checkId, limit, context }: Begun): Promise<void> {
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
      description: `Held the blocks of the check "${check.name}": it was about to block more than ${limit} devices within an hour.`,
    },
    { ...context, organizationId, actor: systemActor },
  )
}
