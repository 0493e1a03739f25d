import type { FieldError } from '@muster/contract/errors.ts'
import type { WebhookEndpointChange } from '@muster/contract/webhook-endpoints.ts'
import { chosenWebhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { fail } from '../../base/errors.ts'
import { faultOfChatService } from '../../base/outbound/chat-services.ts'
import { faultOfReceiverUrl, type ReceiverRules } from '../../base/outbound/receiver-url.ts'
import { isSameOrigin } from '../../base/outbound/same-origin.ts'
import { settleHeaders, withoutKept } from './custom-headers.ts'
import type { CustomHeaders } from './endpoint-secret.ts'

/** What can be chosen of an endpoint. */
export type EndpointSettings = {
  url: string
  events: string[]
  description: string | null
  headers: CustomHeaders
  isEnabled: boolean
}

/**
 * What an endpoint becomes: what is not said stays as it is. At another origin custom headers begin again, since their values
 * are secrets of the receiver before: those that are not sent again are dropped. Refuses what makes none, with every fault.
 */
export function settleEndpoint(
  asked: WebhookEndpointChange,
  current: EndpointSettings,
  rules: ReceiverRules,
): EndpointSettings {
  const { url = current.url, events = current.events, description = current.description } = asked
  const urlFault = asked.url === undefined ? undefined : faultOfUrl(asked.url, current.url, rules)
  const isElsewhere = urlFault === undefined && current.url !== '' && !isSameOrigin(url, current.url)
  const kept = isElsewhere ? {} : current.headers
  const given =
    asked.custom_headers && isElsewhere ? withoutKept(asked.custom_headers, current.headers) : asked.custom_headers
  const headers = given && settleHeaders(given, kept)
  const errors: FieldError[] = [
    ...(urlFault === undefined ? [] : [{ field: 'url', message: urlFault }]),
    ...(Array.isArray(headers) ? headers : []),
  ]
  if (errors.length > 0 || Array.isArray(headers)) return fail('invalid', { errors })
  return {
    url,
    // Once each, in one order: the same events asked for otherwise are no change.
    events: chosenWebhookEvents.filter((event) => events.includes(event)),
    description: description?.trim() || null,
    headers: headers ?? kept,
    isEnabled: asked.enabled ?? current.isEnabled,
  }
}

/** An endpoint that is at a chat service already stays there. */
function faultOfUrl(url: string, before: string, rules: ReceiverRules): string | undefined {
  const fault = faultOfReceiverUrl(url, rules)
  if (fault !== undefined) return `must ${fault}`
  return url === before ? undefined : faultOfChatService(url)
}

export const newEndpoint: EndpointSettings = { url: '', events: [], description: null, headers: {}, isEnabled: true }
