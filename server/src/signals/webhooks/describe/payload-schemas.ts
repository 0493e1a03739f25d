import { type WebhookEvent, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { webhookPayload } from '@muster/contract/webhook-events.ts'
import { webhookExample } from '@muster/contract/webhook-examples.ts'

type Schema = Readonly<Record<string, unknown>>

const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** The body of an event as plain JSON Schema, with an example. */
export const payloadSchema = (event: WebhookEvent): Schema => ({
  // The validator keeps marks of its own on its schemas, which are no part of them.
  ...JSON.parse(JSON.stringify(webhookPayload(event))),
  examples: [webhookExample(event)],
})

const addressOf = (baseUrl: string, event = '') => `${baseUrl}/webhooks/schemas${event && `/${event}`}`

/** The schema of one event's body, as a document of its own. */
export const payloadSchemaDocument = (event: WebhookEvent, baseUrl: string): Schema => ({
  $schema: dialect,
  $id: addressOf(baseUrl, event),
  ...payloadSchema(event),
})

/** The schema of whatever body an endpoint may be sent. */
export const allPayloadSchemas = (baseUrl: string): Schema => ({
  $schema: dialect,
  $id: addressOf(baseUrl),
  title: 'Webhooks of Muster',
  description: 'The body of a request to a webhook endpoint. Members may be added: ignore those that you do not know.',
  oneOf: webhookEvents.map((event) => ({ $ref: `#/$defs/${event}` })),
  $defs: Object.fromEntries(webhookEvents.map((event) => [event, payloadSchema(event)])),
})
