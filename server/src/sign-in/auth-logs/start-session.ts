import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { storable } from '../../base/storable.ts'
import { findSignInDevice } from './queries.ts'
import { boundedOrNull, initialStatusOf, longest } from './rules.ts'

export type NewSession = {
  organizationId: string
  /** Left out: nobody was recognized. */
  personId?: string | undefined
  /** Left out: no device was found yet; `recognizeDevice` brings it later. */
  deviceId?: string | undefined
  ipAddress: string
  country?: string | undefined
  city?: string | undefined
  /** What the browser is, as read from its user agent; blank where that says nothing. */
  browser: { name: string; version: string; userAgent: string }
  /** What the person wants to get into, by the identity provider's identifier and name. */
  application?: { id: string; name: string } | undefined
  now: string
}

/** Notes that someone began to sign in and returns the entry's identifier; failed until it succeeds. */
export async function startSession(tx: Tx, session: NewSession): Promise<string> {
  const { organizationId, browser, application, now } = session
  const person = session.personId === undefined ? undefined : await getPerson(tx, organizationId, session.personId)
  const device =
    session.deviceId === undefined
      ? undefined
      : orNotFound(await findSignInDevice(tx, organizationId, session.deviceId))
  const { id } = await tx
    .insertInto('auth_logs')
    .values({
      organization_id: organizationId,
      started_at: now,
      initial_status: initialStatusOf(device?.auth_state),
      person_id: person?.id ?? null,
      person_name: storable(person?.name ?? '', longest.name),
      person_email: storable(person?.email ?? '', longest.name),
      device_id: device?.id ?? null,
      device_name: boundedOrNull(device?.name, longest.name),
      agent_version: boundedOrNull(device?.agent_version, longest.word),
      ip_address: storable(session.ipAddress, longest.address),
      country: boundedOrNull(session.country, longest.word),
      city: boundedOrNull(session.city, longest.word),
      browser_name: storable(browser.name, longest.word),
      browser_version: storable(browser.version, longest.word),
      browser_user_agent: storable(browser.userAgent, longest.userAgent),
      application_id: storable(application?.id ?? '', longest.word),
      application_name: storable(application?.name ?? '', longest.word),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('auth_log_open_sessions')
    .values({ organization_id: organizationId, auth_log_id: id, touched_at: now })
    .execute()
  return id
}

async function getPerson(tx: Tx, organizationId: string, personId: string) {
  const person = await tx
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .where('deprovisioned_at', 'is', null)
    .executeTakeFirst()
  return orNotFound(person)
}
