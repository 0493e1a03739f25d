import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, messages, orNotFound } from '../../base/errors.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'

type Place = { organizationId: string; deviceId: string; now: string }

/**
 * Asks for a check to run at the device's next check-in, whichever process it reaches. Fails with not_found for a
 * device or check the organization does not have, and with check_not_refreshable where the check does not run on
 * the device by itself.
 */
export async function requestRefresh(tx: Tx, { checkId, ...place }: Place & { checkId: string }): Promise<void> {
  orNotFound(await lockDevice(tx, place))
  const [check] = await findChecks(tx, place, [checkId])
  const refusal = refusalOf(orNotFound(check))
  if (refusal !== undefined) fail('check_not_refreshable', { message: refusal })
  await ask(tx, place, [checkId])
}

/**
 * The same for several checks, all or none. Fails with not_found for the device and with invalid for checks that cannot run
 * again, naming their places.
 */
export async function requestRefreshes(
  tx: Tx,
  { checkIds, ...place }: Place & { checkIds: readonly string[] },
): Promise<void> {
  orNotFound(await lockDevice(tx, place))
  const found = new Map((await findChecks(tx, place, checkIds)).map((check) => [check.id, check]))
  const errors = checkIds.flatMap((id, index) => {
    const check = found.get(id)
    const message = check ? refusalOf(check) : 'there is no such check'
    return message === undefined ? [] : [{ field: `check_ids/${index}`, message }]
  })
  if (errors.length > 0) fail('invalid', { errors })
  await ask(tx, place, [...found.keys()])
}

/**
 * The same for every check that is in scope of the device, and which those are. Fails with not_found for the device, and with
 * check_not_refreshable where none is.
 */
export async function requestAllRefreshes(tx: Tx, place: Place): Promise<string[]> {
  orNotFound(await lockDevice(tx, place))
  const checks = await findChecks(tx, place)
  const checkIds = checks
    .filter((check) => check.status !== 'out_of_scope' && refusalOf(check) === undefined)
    .map(({ id }) => id)
  if (checkIds.length === 0) fail('check_not_refreshable', { message: 'No check runs on this device by itself.' })
  await ask(tx, place, checkIds)
  return checkIds
}

const lockDevice = (tx: Tx, { organizationId, deviceId }: Place) =>
  tx
    .selectFrom('devices')
    .select('id')
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst()

/** Those of the identifiers that the organization has, or all. */
const findChecks = (tx: Tx, { organizationId, deviceId }: Place, ids?: readonly string[]) =>
  tx
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .leftJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'checks.organization_id')
        .onRef('result.check_id', '=', 'checks.id')
        .on('result.device_id', '=', deviceId),
    )
    .select(['checks.id', 'checks.type', 'configuration.paused_at', 'result.status'])
    .where(inOrganization('checks', organizationId))
    .$if(ids !== undefined, (query) => query.where('checks.id', '=', sql<string>`any(${ids}::bigint[])`))
    .where('checks.deletion_requested_at', 'is', null)
    .orderBy('checks.id')
    .execute()

type Check = Awaited<ReturnType<typeof findChecks>>[number]

/** Why the check does not run on the device when it is asked for. */
function refusalOf({ type, paused_at: pausedAt, status }: Check): string | undefined {
  if (type === 'external') return 'Results of an external check are reported from outside.'
  if (pausedAt !== null) return 'The check is paused.'
  return status === null ? messages.check_not_refreshable : undefined
}

async function ask(tx: Tx, { organizationId, deviceId, now }: Place, checkIds: readonly string[]): Promise<void> {
  await sql`
    insert into check_refreshes (organization_id, device_id, check_id, requested_at)
    select ${organizationId}::bigint, ${deviceId}::bigint, check_id, ${now}::timestamptz
    from unnest(${checkIds}::bigint[]) as asked (check_id)
    order by check_id
    on conflict on constraint check_refreshes_pkey do update set requested_at = excluded.requested_at`.execute(tx)
  await queueAgentNotice(tx, organizationId, deviceId, now)
}
