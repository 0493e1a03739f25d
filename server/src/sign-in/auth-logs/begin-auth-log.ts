import type { StoredAuthState } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { storable } from '../../base/storable.ts'
import { boundedOrNull, initialStatusOf, longest } from './rules.ts'

/** What a log says of the device of a sign-in. */
export type LoggedDevice = { id: string; name: string; agent_version: string | null; auth_state: StoredAuthState }

/** Whom a log is about: a person as the caller has just read them, or someone whom a provider vouched for and nobody here is. */
export type LoggedPerson =
  | { person: { id: string; name: string; email: string }; vouched?: never }
  | { vouched: { name: string; email: string }; person?: never }

export type NewAuthLog = LoggedPerson & {
  organizationId: string
  /** Left out: no device was found yet; `recognizeDevice` brings it later. */
  device?: LoggedDevice | undefined
  ipAddress: string
  country?: string | undefined
  city?: string | undefined
  /** What the browser is, as read from its user agent; blank where that says nothing. */
  browser: { name: string; version: string; userAgent: string }
  /** What the person wants to get into, by the identity provider's identifier and name. */
  application?: { id: string; name: string } | undefined
  /** The connection that the person came through. */
  connectionId?: string | undefined
  /** The text of the first event, `sign_in_attempt`. */
  attempt?: string | undefined
  now: string
}

/** Notes that a person began to sign in, by one statement, and returns the entry's identifier; failed until it succeeds. */
export async function beginAuthLog(tx: Tx, asked: NewAuthLog): Promise<string> {
  const { organizationId, attempt, now } = asked
  const { id } = await tx
    .with('log', (build) => build.insertInto('auth_logs').values(rowOf(asked)).returning('id'))
    .with('open', (build) =>
      build
        .insertInto('auth_log_open_sessions')
        .columns(['organization_id', 'auth_log_id', 'touched_at', 'events_count', 'reason'])
        .expression((from) =>
          from
            .selectFrom('log')
            .select((row) => [
              row.val(organizationId).as('organization_id'),
              'log.id',
              row.val(now).as('touched_at'),
              row.lit(attempt === undefined ? 0 : 1).as('events_count'),
              row.val('abandoned').as('reason'),
            ]),
        ),
    )
    .with('event', (build) =>
      build
        .insertInto('auth_log_events')
        .columns(['organization_id', 'auth_log_id', 'position', 'type', 'description', 'occurred_at'])
        .expression((from) =>
          from
            .selectFrom('log')
            .select((row) => [
              row.val(organizationId).as('organization_id'),
              'log.id',
              row.lit(1).as('position'),
              row.val('sign_in_attempt').as('type'),
              row.val(storable(attempt ?? '', longest.description)).as('description'),
              row.val(now).as('occurred_at'),
            ])
            .where((row) => row.lit(attempt !== undefined)),
        ),
    )
    .selectFrom('log')
    .select('log.id')
    .executeTakeFirstOrThrow()
  return id
}

const rowOf = ({ organizationId, person, vouched, device, browser, application, now, ...log }: NewAuthLog) => ({
  organization_id: organizationId,
  started_at: now,
  initial_status: initialStatusOf(device?.auth_state),
  person_id: person?.id ?? null,
  person_name: storable((person ?? vouched).name, longest.name),
  person_email: storable((person ?? vouched).email, longest.name),
  device_id: device?.id ?? null,
  device_name: boundedOrNull(device?.name, longest.name),
  agent_version: boundedOrNull(device?.agent_version, longest.word),
  ip_address: storable(log.ipAddress, longest.address),
  country: boundedOrNull(log.country, longest.word),
  city: boundedOrNull(log.city, longest.word),
  browser_name: storable(browser.name, longest.word),
  browser_version: storable(browser.version, longest.word),
  browser_user_agent: storable(browser.userAgent, longest.userAgent),
  application_id: storable(application?.id ?? '', longest.word),
  application_name: storable(application?.name ?? '', longest.word),
  connection_id: log.connectionId ?? null,
})
