import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../../base/db/schema.ts'
import type { Reader } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import type { SignInSession } from './session-queries.ts'
import { limits } from './session-rules.ts'

type Asked = { personId: string | null; deviceId: string | null; now: string }

export type StandingRow = NonNullable<Awaited<ReturnType<typeof findStanding>>>

/**
 * What decides about a sign-in besides itself, by one statement: the person unless they have left, the device unless it is
 * deleted, the person's latest request to register it that they have not withdrawn, and how many answers of the connection to
 * them look like a loop.
 */
export function findStanding(reader: Reader, session: SignInSession, { personId, deviceId, now }: Asked) {
  return reader
    .selectFrom('signin_sessions as session')
    .leftJoin('people as person', (join) =>
      join
        .onRef('person.organization_id', '=', 'session.organization_id')
        .on('person.id', '=', personId)
        .on('person.deprovisioned_at', 'is', null),
    )
    .leftJoin('devices as device', (join) =>
      join
        .onRef('device.organization_id', '=', 'session.organization_id')
        .on('device.id', '=', deviceId)
        .on('device.deleted_at', 'is', null),
    )
    .leftJoin('signin_warnings as warning', (join) =>
      join.onRef('warning.organization_id', '=', 'device.organization_id').onRef('warning.device_id', '=', 'device.id'),
    )
    .leftJoin('ended_registrations as ended', (join) =>
      join
        .onRef('ended.organization_id', '=', 'device.organization_id')
        .onRef('ended.device_id', '=', 'device.id')
        .on('ended.person_id', '=', personId),
    )
    .leftJoinLateral(latestRequest(deviceId, personId), (join) => join.onTrue())
    .select([
      ...(['person.id as person_id', 'person.name as person_name', 'person.email as person_email'] as const),
      ...(['person.has_used_first_trust', 'device.id as device_id', 'device.name as device_name'] as const),
      ...(['device.hardware_model', 'device.serial', 'device.operating_system', 'device.agent_version'] as const),
      ...(['device.registered_owner_id', 'device.registration_suspended_at', 'device.auth_state'] as const),
      ...(['device.will_block_at', 'device.authentication_mode', 'warning.shown_at as warned_at'] as const),
      ...(['request.status', 'request.requester_message', 'request.requested_at', 'request.decided_at'] as const),
      ...(['request.end_user_denial_note', 'ended.ended_at'] as const),
      isKeyKept.as('is_key_kept'),
      isHeld.as('is_held'),
      inAllowedGroup(personId).as('is_group_allowed'),
      answeredInVain(session, personId, now).as('answered'),
    ])
    .where('session.organization_id', '=', session.organization_id)
    .where('session.id', '=', session.id)
    .executeTakeFirst()
}

const latestRequest =
  (deviceId: string | null, personId: string | null) =>
  (build: ExpressionBuilder<Database & { session: Database['signin_sessions'] }, 'session'>) =>
    build
      .selectFrom('registration_requests as asked')
      .select(['asked.status', 'asked.requester_message', 'asked.requested_at'])
      .select(['asked.decided_at', 'asked.end_user_denial_note'])
      .whereRef('asked.organization_id', '=', 'session.organization_id')
      .where('asked.device_id', '=', deviceId)
      .where('asked.person_id', '=', personId)
      .where('asked.withdrawn_at', 'is', null)
      .orderBy('asked.id', 'desc')
      .limit(1)
      .as('request')

/**
 * Whether the device still has the key that spoke for it before its registration was suspended, and its osquery node of today
 * has confirmed that since.
 */
const isKeyKept = sql<boolean>`exists (
  select from companion_keys as key
  where key.organization_id = device.organization_id and key.device_id = device.id and key.status = 'linked'
    and key.contest_ends_at is null and key.linked_at < device.registration_suspended_at
    and key.confirmed_at > device.registration_suspended_at)`

/** Whether an issue of the device would block it, and its block is held or was discarded. */
const isHeld = sql<boolean>`exists (
  select from issues
  where issues.organization_id = device.organization_id and issues.device_id = device.id
    and issues.hold_id is not null and issues.resolved_at is null and not issues.exempted)`

const inAllowedGroup = (personId: string | null) => sql<boolean>`exists (
  select from device_authentication_groups as allowed
  join person_group_members as member
    on member.organization_id = allowed.organization_id and member.person_group_id = allowed.person_group_id
  where allowed.organization_id = device.organization_id and allowed.device_id = device.id
    and member.person_id = ${personId}::bigint)`

/** Whether the application has redeemed the code of an answer. One of Microsoft Entra has none. */
const isTaken = sql<boolean>`(other.entra_request is not null or exists (
  select from oidc_records as code
  where code.organization_id = other.organization_id and code.grant_id = other.id and code.consumed_at is not null))`

/**
 * The person's answers of late that a loop would have: those that the application did not take, which it has a moment for, and
 * those that were given in the tab of this sign-in before it began. Several tabs and private windows at once are no loop.
 */
const answeredInVain = (
  { tab, started_at: startedAt }: SignInSession,
  personId: string | null,
  now: string,
) => sql<number>`(
  select count(*)::int from signin_sessions as other
  where other.organization_id = session.organization_id and other.connection_id = session.connection_id
    and other.person_id = ${personId}::bigint and other.answered_at > ${plusMs(now, -limits.loopMs)}::timestamptz
    and other.id <> session.id
    and (other.tab = ${tab}::text and other.answered_at < ${startedAt}::timestamptz
      or other.answered_at <= ${plusMs(now, -limits.takenMs)}::timestamptz and not ${isTaken}))`
