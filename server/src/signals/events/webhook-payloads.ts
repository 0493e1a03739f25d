import type { WebhookEvent } from '@muster/contract/webhook-event-summaries.ts'
import type { WebhookData } from '@muster/contract/webhook-events.ts'
import type { Tx } from '../../base/db/transact.ts'
import { type Links, linksFor } from '../../base/links.ts'
import { queueWebhooks, readListening, type WebhookMessage } from '../webhook-ledger/queue-webhooks.ts'
import type { Announcement } from './announce.ts'
import { type PayloadFacts, readPayloadFacts } from './payload-facts.ts'

/** Queues what endpoints receive of an organization's announcements. What no endpoint chose is not looked up. */
export async function announceToWebhooks(
  tx: Tx,
  organizationId: string,
  announcements: readonly Announcement[],
): Promise<void> {
  const types: WebhookEvent[] = [...new Set(announcements.map(({ type }) => type))]
  const { baseUrl, events } = await readListening(tx, organizationId, types)
  const wanted = announcements.filter(({ type }) => events.has(type))
  if (wanted.length === 0) return
  const facts = await readPayloadFacts(tx, organizationId, {
    devices: [...new Set(wanted.flatMap(({ deviceId }) => deviceId ?? []))],
    checks: [...new Set(wanted.flatMap((one) => ('checkId' in one ? one.checkId : [])))],
  })
  const known = { facts, links: linksFor(baseUrl) }
  await queueWebhooks(
    tx,
    organizationId,
    wanted.map((one) => ({
      ...payloadOf(one, known),
      deviceId: one.deviceId,
      orderedBy: one.type === 'device_trust.status_changed' ? one.deviceId : null,
      cause: one.cause,
      at: one.at,
    })),
  )
}

type News<Type extends Announcement['type'] = Announcement['type']> = Extract<Announcement, { type: Type }>
type Known = { facts: PayloadFacts; links: Links }
type Builders = { [Type in Announcement['type']]: (news: News<Type>, known: Known) => WebhookData<Type> }

const builders: Builders = {
  'device_trust.status_changed': ({ deviceId, to }, { facts, links }) => ({
    device_id: Number(deviceId),
    device_name: facts.devices.get(deviceId)?.name ?? '',
    device_status: to,
    device_url: links.url(`/devices/${deviceId}`),
  }),
  'devices.created': dataOfDevice,
  'devices.registered': dataOfDevice,
  'devices.registration_suspended': (news, known) => ({ ...dataOfDevice(news, known), reason: news.reason }),
  'devices.identity_conflict': dataOfDevice,
  'devices.updated': (news, known) => ({ ...dataOfDevice(news, known), changes: [...news.changes] }),
  'devices.destroyed': ({ deviceId, deviceName }, { facts }) => ({
    device_id: Number(deviceId),
    device_name: deviceName,
    status: facts.devices.get(deviceId)?.status ?? 'good',
  }),
  'issues.new': dataOfIssue,
  'issues.resolved': dataOfIssue,
  'auth_logs.success': dataOfSignIn,
  'auth_logs.failure': dataOfSignIn,
  'admin_users.created': ({ adminUserId, firstName, lastName, email, access }, { links }) => ({
    ...{ admin_user_id: Number(adminUserId), first_name: firstName, last_name: lastName, email, access },
    admin_user_url: links.url(`/admin_users/${adminUserId}`),
  }),
  'requests.issue_exemption': ({ deviceId, deviceName, personEmail, message, issueIds }, { links }) => ({
    ...{ device_id: Number(deviceId), device_name: deviceName, person_email: personEmail, message },
    issues: issueIds.map((id) => ({ issue_id: Number(id), issue_url: links.url(`/issues/${id}`) })),
  }),
  'requests.registration': ({ deviceId, deviceName, personId, personEmail, message }, { links }) => ({
    device: { id: Number(deviceId), name: deviceName, url: links.url(`/devices/${deviceId}`) },
    requester: { id: Number(personId), email: personEmail, url: links.url(`/people/${personId}`) },
    message,
  }),
}

function payloadOf(news: Announcement, known: Known): Pick<WebhookMessage, 'event' | 'data'> {
  // The type of the news names its builder, which the compiler cannot follow through a union.
  const build = builders[news.type] as (news: Announcement, known: Known) => WebhookMessage['data']
  return { event: news.type, data: build(news, known) }
}

type DeviceNews = News<
  | 'devices.created'
  | 'devices.registered'
  | 'devices.registration_suspended'
  | 'devices.identity_conflict'
  | 'devices.updated'
>

function dataOfDevice(news: DeviceNews, { facts, links }: Known) {
  const device = facts.devices.get(news.deviceId)
  const owner = device?.owner
  return {
    device_id: Number(news.deviceId),
    device_name: news.deviceName,
    device_status: device?.status ?? 'good',
    device_url: links.url(`/devices/${news.deviceId}`),
    registered_owner: owner
      ? { id: Number(owner.id), name: owner.name, email: owner.email, owner_url: links.url(`/people/${owner.id}`) }
      : null,
  }
}

function dataOfIssue(news: News<'issues.new' | 'issues.resolved'>, { facts }: Known) {
  const [deviceId, checkId] = [Number(news.deviceId), Number(news.checkId)]
  const check = facts.checks.get(news.checkId)
  return {
    ...{ issue_id: Number(news.issueId), title: news.title, check_id: checkId, device_id: deviceId },
    device: { id: deviceId, name: facts.devices.get(news.deviceId)?.name ?? '' },
    check: { id: checkId, name: check?.name ?? '', tags: check?.tags ?? [] },
  }
}

function dataOfSignIn(news: News<'auth_logs.success' | 'auth_logs.failure'>, { links }: Known) {
  const { authLogId, browserName, browserVersion, deviceId, deviceName, agentVersion, personId } = news
  return {
    auth_log_url: links.url(`/auth_logs/${authLogId}`),
    ...{ browser_name: browserName, browser_version: browserVersion },
    ...{ device_id: deviceId === null ? null : Number(deviceId), device_name: deviceName },
    launcher_version: agentVersion,
    person_id: personId === null ? null : Number(personId),
  }
}
