import type { FieldError } from '@muster/contract/errors.ts'
import type { WebhookEndpointChange } from '@muster/contract/webhook-endpoints.ts'
import { chosenWebhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { fail } from '../errors.ts'
import { faultOfReceiverUrl, type ReceiverRules } from '../outbound/receiver-url.ts'
import { settleHeaders } from './custom-headers.ts'
import type { CustomHeaders } from './endpoint-secret.ts'

/** What can be chosen of an endpoint. */
export type EndpointSettings = {
  url: string
  events: string[]
  description: string | null
  headers: CustomHeaders
  isEnabled: boolean
}

/** What an endpoint becomes: what is not said stays as it is. Refuses what makes none, with every fault. */
export function settleEndpoint(
  asked: WebhookEndpointChange,
  current: EndpointSettings,
  rules: ReceiverRules,
): EndpointSettings {
  const { url = current.url, events = current.events, description = current.description } = asked
  const urlFault = asked.url === undefined ? undefined : faultOfReceiverUrl(asked.url, rules)
  const headers = asked.custom_headers && settleHeaders(asked.custom_headers, current.headers)
  const errors: FieldError[] = [
    ...(urlFault === undefined ? [] : [{ field: 'url', message: `must ${urlFault}` }]),
    ...(Array.isArray(headers) ? headers : []),
  ]
  if (errors.length > 0 || Array.isArray(headers)) return fail('invalid', { errors })
  return {
    url,
    // Once each, in one order: the same events asked for otherwise are no change.
    events: chosenWebhookEvents.filter((event) => events.includes(event)),
    description: description?.trim() || null,
    headers: headers ?? current.headers,
    isEnabled: asked.enabled ?? current.isEnabled,
  }
}

export const newEndpoint: EndpointSettings = { url: '', events: [], description: null, headers: {}, isEnabled: true }
