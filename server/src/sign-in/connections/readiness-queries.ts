import type { SignInReadiness } from '@muster/contract/console-sign-in.ts'
import type { DeviceType } from '@muster/contract/devices.ts'
import { type RefusalReason, refusalReasons } from '@muster/contract/refusal-reasons.ts'
import { type RawBuilder, sql } from 'kysely'
import { listCompanionTypes } from '../../agents/packages/companion-platforms.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { dayMs, plusMs } from '../../base/time.ts'

/** A companion that was not heard of for so long does not answer a page. */
const silentMs = 7 * dayMs
/** Which computers people sign in on is read from the sign-ins of this time. */
const seenMs = 30 * dayMs

/** Phones, tablets, ChromeOS and browsers that no agent can be asked from, by what they call themselves. */
const withoutAgent = '(iPhone|iPad|Android|CrOS|Mobile|Trident|MSIE )'

type Asked = { organizationId: string; connectionId: string; now: string }
type Refused = {
  id: string
  name: string
  email: string
  reason: RefusalReason
  device_id: string | null
  device_name: string | null
  device_type: DeviceType | null
}

/**
 * Each active person who would be refused, with one reason. Of several devices the one that comes closest decides: a person is
 * let in by any of them. Devices that anyone may use belong to nobody's report.
 */
async function refusedPeople(
  reader: Reader,
  { organizationId, connectionId, now }: Asked,
): Promise<RawBuilder<Refused>> {
  const companionTypes = await listCompanionTypes(reader)
  const own = sql`${organizationId}::bigint`
  return sql`(
    with usable as (
      select registered_owner_id as person_id, id as device_id from devices
      where organization_id = ${own} and deleted_at is null and registered_owner_id is not null
      union
      select member.person_id, device.id from devices as device
      join device_authentication_groups as allowed
        on allowed.organization_id = device.organization_id and allowed.device_id = device.id
      join person_group_members as member
        on member.organization_id = allowed.organization_id and member.person_group_id = allowed.person_group_id
      where device.organization_id = ${own} and device.deleted_at is null and device.registered_owner_id is not null
        and device.authentication_mode = 'only_registered_owner_or_group_members'
    ), companions as (
      select device_id, max(last_contact_at) as last_contact_at from companion_keys
      where organization_id = ${own} and status = 'linked' and device_id is not null
      group by device_id
    ), standing as (
      select usable.person_id, device.id as device_id, device.name as device_name, device.device_type, case
        when companion.device_id is null and device.device_type <> all (${companionTypes}::text[]) then 0
        when companion.device_id is null then 1
        when companion.last_contact_at <= ${plusMs(now, -silentMs)}::timestamptz then 2
        when device.registration_suspended_at is not null then 3
        when device.auth_state = 'blocked' then 4
        else 5 end as rank
      from usable
      join devices as device on device.organization_id = ${own} and device.id = usable.device_id
      left join companions as companion on companion.device_id = device.id
    ), closest as (
      select distinct on (person_id) person_id, device_id, device_name, device_type, rank from standing
      order by person_id, rank desc, device_id
    ), phones as (
      select person_id from auth_logs
      where organization_id = ${own} and person_id is not null
        and started_at > ${plusMs(now, -seenMs)}::timestamptz
        and connection_id = ${connectionId}::bigint
      group by person_id having bool_and(browser_user_agent ~* ${withoutAgent})
    )
    select person.id::text as id, person.name, person.email,
      closest.device_id::text as device_id, closest.device_name, closest.device_type, case
        when closest.rank is null then 'no_device'
        when closest.rank = 0 then 'no_companion_for_platform'
        when closest.rank = 1 then 'no_companion'
        when closest.rank = 2 then 'companion_silent'
        when closest.rank = 3 then 'suspended'
        when closest.rank = 4 then 'blocked'
        else 'phone_only' end as reason
    from people as person
    left join closest on closest.person_id = person.id
    left join phones on phones.person_id = person.id
    where person.organization_id = ${own} and person.deprovisioned_at is null
      and (closest.rank is null or closest.rank < 5 or phones.person_id is not null))`
}

/** How many people a connection would refuse today if it enforced, by reason. */
export async function readReadiness(reader: Reader, asked: Asked): Promise<SignInReadiness> {
  const refused = await refusedPeople(reader, asked)
  const rows = await reader
    .selectFrom(refused.as('refused'))
    .select(['reason', 'device_type', sql<number>`count(*)::int`.as('count')])
    .groupBy(['reason', 'device_type'])
    .orderBy('count', 'desc')
    .orderBy('device_type')
    .execute()
  const { count } = await reader
    .selectFrom('people')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('organization_id', '=', asked.organizationId)
    .where('deprovisioned_at', 'is', null)
    .executeTakeFirstOrThrow()
  const of = (reason: RefusalReason) => rows.filter((row) => row.reason === reason)
  const total = (some: typeof rows) => some.reduce((sum, row) => sum + row.count, 0)
  const reasons = Object.fromEntries(refusalReasons.map((reason) => [reason, total(of(reason))]))
  return {
    people_count: count,
    refused_count: total(rows),
    reasons: reasons as SignInReadiness['reasons'],
    platforms: of('no_companion_for_platform').flatMap(({ device_type: type, count: people }) =>
      type === null ? [] : [{ device_type: type, people_count: people }],
    ),
  }
}

/** Those people, oldest record first. */
const byPerson: Keyset = { id: { column: sql`refused.id::bigint`, type: 'bigint' }, direction: 'asc' }

export async function listRefused(
  reader: Reader,
  asked: Asked,
  { reason, after, limit }: { reason: RefusalReason | undefined; after: string | undefined; limit: number },
): Promise<Refused[]> {
  const refused = await refusedPeople(reader, asked)
  return reader
    .selectFrom(refused.as('refused'))
    .selectAll()
    .$if(reason !== undefined, (query) => query.where('reason', '=', reason ?? 'blocked'))
    .$call(nextRows(byPerson, after, limit))
    .execute()
}
