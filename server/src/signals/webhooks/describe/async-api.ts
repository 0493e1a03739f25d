import { webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import { payloadSchema } from './payload-schemas.ts'

type Part = Readonly<Record<string, unknown>>

const bindingVersion = '0.3.0'

/** The AsyncAPI 3.0 document of what endpoints are sent. */
export const asyncApiDocument = (baseUrl: string): Part => ({
  asyncapi: '3.0.0',
  id: `${baseUrl}/webhooks/asyncapi.json`,
  info: {
    title: 'Webhooks of Muster',
    version: '1.0.0',
    description,
    license: { name: 'Apache License 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  defaultContentType: 'application/json',
  channels: {
    endpoint: {
      address: null,
      title: 'Webhook endpoint',
      description: 'An https address of the receiver’s own, with the events that were chosen for it.',
      messages: Object.fromEntries(webhookEvents.map((event) => [event, { $ref: `#/components/messages/${event}` }])),
    },
  },
  operations: {
    sendWebhook: {
      action: 'send',
      channel: { $ref: '#/channels/endpoint' },
      summary: 'Tell an endpoint what happened.',
      description:
        'At least once. A status of 200 to 299 accepts it; any other answer, or none within 15 seconds, is tried again, and 410 disables the endpoint.',
      security: [{ $ref: '#/components/securitySchemes/bodySignature' }],
      bindings: { http: { method: 'POST', bindingVersion } },
      messages: webhookEvents.map((event) => ({ $ref: `#/channels/endpoint/messages/${event}` })),
    },
  },
  components: {
    messages: Object.fromEntries(webhookEvents.map((event) => [event, messageOf(event)])),
    schemas: { headers, ...Object.fromEntries(webhookEvents.map((event) => [event, payloadSchema(event)])) },
    securitySchemes: {
      bodySignature: {
        type: 'httpApiKey',
        name: 'authorization',
        in: 'header',
        description: 'Lower-case hexadecimal HMAC-SHA-256 of the raw body, keyed with the secret as it is shown.',
      },
    },
  },
})

function messageOf(event: (typeof webhookEvents)[number]): Part {
  const { title, description: summary } = payloadSchema(event)
  return {
    name: event,
    title,
    summary,
    contentType: 'application/json',
    headers: { $ref: '#/components/schemas/headers' },
    payload: { $ref: `#/components/schemas/${event}` },
    examples: [{ name: 'example', payload: webhookExample(event) }],
  }
}

const text = (words: string, rest: Part = {}): Part => ({ type: 'string', ...rest, description: words })

const headers: Part = {
  type: 'object',
  description: 'Besides them, the custom headers of the endpoint.',
  required: [
    ...['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'authorization'],
    'x-service-webhook-identifier',
  ],
  properties: {
    'content-type': text('The type of the body.', { const: 'application/json' }),
    'user-agent': text('Who sends it.', { const: 'Muster' }),
    'webhook-id': text('The `id` within the body: the same however often it is sent.'),
    'webhook-timestamp': text('When this request was signed, in seconds since 1970.', { pattern: '^[0-9]+$' }),
    'webhook-signature': text(
      'For each secret `v1,` and the base64 HMAC-SHA-256 of id, timestamp and body, joined by dots; between them a space.',
      { pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$' },
    ),
    authorization: text('Lower-case hexadecimal HMAC-SHA-256 of the body.', { pattern: '^[0-9a-f]{64}$' }),
    'x-service-webhook-identifier': text('Names the endpoint; never changes.', { format: 'uuid' }),
  },
}

const description =
  'What Muster sends to webhook endpoints. Requests are signed in two ways: after Standard Webhooks, and by an HMAC of the body in `Authorization`. Members may be added to bodies: ignore those that you do not know.'

/** The text of the committed document: readable, and the same for every installation. */
