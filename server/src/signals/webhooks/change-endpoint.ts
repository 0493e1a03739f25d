import { isDeepStrictEqual } from 'node:util'
import type { WebhookEndpointChange } from '@muster/contract/webhook-endpoints.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { ReceiverRules } from '../../base/outbound/receiver-url.ts'
import { isSameOrigin } from '../../base/outbound/same-origin.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { changesBetween } from '../audit/changes.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { describeDestination } from './log/describe-destination.ts'
import { type Endpoint, lockEndpoint } from './queries.ts'
import { type EndpointSettings, settleEndpoint } from './settle-endpoint.ts'
import { beginAnew, headersReader, sealedOrNull, tryAtOnce, writeEndpoint } from './write-endpoint.ts'

export type EndpointChange = { endpointId: string; asked: WebhookEndpointChange; rules: ReceiverRules }

/** Changes what can be chosen of an endpoint; returns whether it did. Nothing is written where nothing changes. */
export async function changeEndpoint(
  tx: Tx,
  secrets: Secrets,
  { endpointId, asked, rules }: EndpointChange,
  context: ChangeContext,
): Promise<boolean> {
  const { organizationId, now } = context
  const endpoint = orNotFound(await lockEndpoint(tx, organizationId, endpointId))
  const current = settingsOf(endpoint, headersReader(secrets)(endpoint))
  const settings = settleEndpoint(asked, current, rules)
  if (isDeepStrictEqual(settings, current)) return false
  const headers = sealedOrNull(secrets, settings.headers, { organizationId, endpointId })
  await writeEndpoint(tx, endpoint, columnsOf(settings, current, headers, now), now)
  const isNewlyEnabled = settings.isEnabled && !current.isEnabled
  const isAnother = isNewlyEnabled || settings.url !== current.url
  await (isAnother ? beginAnew : tryAtOnce)(tx, endpoint, now)
  for (const { description, changes } of newsOf(settings, current)) {
    await recordAudit(tx, { action: 'webhook.updated', about: { webhook: endpointId }, description, changes }, context)
  }
  return true
}

const settingsOf = (endpoint: Endpoint, headers: EndpointSettings['headers']): EndpointSettings => ({
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description,
  headers,
  isEnabled: endpoint.disabled_at === null,
})

function columnsOf(settings: EndpointSettings, current: EndpointSettings, headers: Buffer | null, now: string) {
  const { url, events, description, isEnabled } = settings
  return {
    ...{ url, events, description },
    ...(!isDeepStrictEqual(settings.headers, current.headers) && { sealed_headers: headers }),
    ...(isEnabled !== current.isEnabled && {
      disabled_at: isEnabled ? null : now,
      disabled_reason: isEnabled ? null : ('by_admin' as const),
    }),
  }
}

/** For the audit log, which more people read than may manage endpoints: no path of an address, no value of a header. */
function newsOf(settings: EndpointSettings, current: EndpointSettings) {
  const [before, after] = [current.url, settings.url].map((url) => new URL(url).host)
  const news: (string | false)[] = [
    settings.url !== current.url &&
      (before === after ? 'its path is another' : `its host changed from "${before}" to "${after}"`),
    !isDeepStrictEqual(settings.events, current.events) &&
      `its events changed from ${current.events.join(', ')} to ${settings.events.join(', ')}`,
    settings.description !== current.description && 'another description',
    !isDeepStrictEqual(settings.headers, current.headers) && headersNews(settings, current),
  ]
  const told = news.filter((one) => one !== false)
  const changed = told.length > 0 && {
    description: `Changed ${describeDestination(current)}: ${told.join('; ')}.`,
    changes: changesBetween({ ...current, host: before }, { ...settings, host: after }, [
      'host',
      'events',
      'description',
    ]),
  }
  const verb = settings.isEnabled ? 'Enabled' : 'Disabled'
  const switched = settings.isEnabled !== current.isEnabled && {
    description: `${verb} ${describeDestination(settings)}.`,
    changes: [{ field: 'enabled', from: current.isEnabled, to: settings.isEnabled }],
  }
  return [changed, switched].filter((one) => one !== false)
}

function headersNews({ url, headers }: EndpointSettings, current: EndpointSettings): string {
  const quoted = (names: string[]) => names.map((name) => `"${name}"`).join(', ')
  const names = Object.keys(headers)
  const dropped = Object.keys(current.headers).filter((name) => !names.includes(name))
  const others = names.length === 0 ? 'no custom headers' : `other custom headers: ${quoted(names)}`
  if (dropped.length === 0 || isSameOrigin(url, current.url)) return others
  const news = `dropped the custom headers ${quoted(dropped)}, whose values are not sent to another origin`
  return names.length === 0 ? news : `${others}; ${news}`
}
