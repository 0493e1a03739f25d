import Type, { type Static, type TUnsafe } from 'typebox'
import { maskedHeaderValue } from './masked-header-value.ts'
import { Choice, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { flagField, identifierField, nullableTextField, textField, timeField } from './search-fields.ts'
import { chosenWebhookEvents } from './webhook-event-summaries.ts'

const maxCustomHeaders = 20
const maxRollOverlapSeconds = 604_800
const defaultRollOverlapSeconds = 86_400

const Headers = (description: string, limits: object = {}): TUnsafe<Record<string, string>> =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 4_096 },
    ...limits,
    description,
  })

const Events = (description: string) =>
  Type.Array(Choice(chosenWebhookEvents, 'Name of an event.'), { minItems: 1, description })

const WebhookHealth = Type.Object(
  {
    state: Choice(
      ['ok', 'failing', 'stopped'],
      '`failing`: the receiver does not take what is sent, and is tried again; `stopped`: the endpoint is disabled.',
    ),
    failing_since: Nullable(Timestamp('Since when the receiver takes nothing; null while it does.')),
    last_error: Nullable(Text('Why the latest attempt failed; null when it did not.')),
    last_delivered_at: Nullable(Timestamp('When the receiver last took something.')),
  },
  { description: 'Whether the receiver gets what it should.' },
)

export const WebhookEndpoint = Type.Object(
  {
    id: Identifier('Identifier of the endpoint.'),
    url: Text('Where events are sent to.', { format: 'uri' }),
    description: Nullable(Text('What the endpoint is for; null when nobody said.')),
    events: Type.Array(Text('Name of an event.'), { description: 'What the endpoint receives.' }),
    enabled: Flag('Whether events are queued for the endpoint and sent to it.'),
    disabled_at: Nullable(Timestamp('When it was disabled; null while it is enabled.')),
    disabled_reason: Nullable(
      Choice(
        ['by_admin', 'gone', 'failing'],
        'Why it is disabled: `by_admin`: someone did so; `gone`: the receiver answered 410; `failing`: every attempt of five days failed.',
      ),
    ),
    identifier: Text('Sent as `X-Service-Webhook-Identifier` with every request; never changes.', { format: 'uuid' }),
    custom_headers: Headers(
      `Additional headers to send, by their names in lower case; each value is shown as \`${maskedHeaderValue}\`.`,
    ),
    secret: Type.Optional(
      Text('What requests are signed with. Only in the answers that make, reveal or roll it.', { minLength: 1 }),
    ),
    previous_secret_until: Nullable(
      Timestamp('Until when the secret before this one signs as well; null when it does no more.'),
    ),
    created_at: Timestamp('When the endpoint was made.'),
    updated_at: Timestamp('When it was last changed.'),
    health: WebhookHealth,
  },
  {
    title: 'WebhookEndpoint',
    description: 'An address that is told of events.',
    examples: [
      {
        id: '12',
        url: 'https://hooks.acme.example/muster',
        description: 'Opens tickets',
        events: ['device_trust.status_changed', 'issues.new'],
        enabled: true,
        disabled_at: null,
        disabled_reason: null,
        identifier: '0f4c2a0e-7d0b-4a55-9e2d-5a3c1f5b8e21',
        custom_headers: { 'x-tenant': maskedHeaderValue },
        previous_secret_until: null,
        created_at: '2026-11-20T09:14:03.120Z',
        updated_at: '2026-11-20T09:14:03.120Z',
        health: { state: 'ok', failing_since: null, last_error: null, last_delivered_at: '2026-11-20T09:15:00.000Z' },
      },
    ],
  },
)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const webhookEndpointSearch = {
  id: identifierField,
  url: textField,
  description: nullableTextField,
  events: { kind: 'string_list', operators: [':', '~'], multiple: true },
  enabled: flagField,
  created_at: timeField,
} as const satisfies SearchFields

const url = Text('Where to send events: an https address on a publicly reachable host.', { maxLength: 2_048 })
const description = Type.Optional(Nullable(Text('What the endpoint is for.', { maxLength: 500 })))
const requestHeaders = Type.Optional(
  Headers(
    'Headers to send besides, all of them; values are kept sealed. Those that belong to HTTP, to the body or to the signature are refused.',
    { maxProperties: maxCustomHeaders },
  ),
)

export const WebhookEndpointCreation = Type.Object(
  {
    url,
    events: Events('What to tell the endpoint of.'),
    description,
    custom_headers: requestHeaders,
    enabled: Type.Optional(Flag('Whether it begins enabled, which it does unless told otherwise.')),
  },
  {
    title: 'WebhookEndpointCreation',
    description: 'A webhook endpoint to make. Other members are ignored.',
    examples: [
      {
        url: 'https://hooks.acme.example/muster',
        events: ['device_trust.status_changed', 'issues.new'],
        description: 'Opens tickets',
        custom_headers: { 'x-tenant': 'acme' },
      },
    ],
  },
)
export type WebhookEndpointCreation = Static<typeof WebhookEndpointCreation>

export const WebhookEndpointChange = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(Events('What to tell the endpoint of, all of it.')),
    description,
    custom_headers: Type.Optional(
      Headers(
        `Headers to send besides, all of them; one with the value \`${maskedHeaderValue}\` keeps the value that it has.`,
        { maxProperties: maxCustomHeaders },
      ),
    ),
    enabled: Type.Optional(Flag('Whether events are queued for the endpoint and sent to it.')),
  },
  {
    title: 'WebhookEndpointChange',
    description: 'What to change of a webhook endpoint. Other members are ignored.',
    examples: [{ enabled: true }],
  },
)
export type WebhookEndpointChange = Static<typeof WebhookEndpointChange>

export const WebhookSecretRoll = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxRollOverlapSeconds,
        default: defaultRollOverlapSeconds,
        description: 'How long the present secret continues to sign beside the new one; a day unless given.',
      }),
    ),
  },
  {
    title: 'WebhookSecretRoll',
    description: 'How to replace the secret of an endpoint.',
    examples: [{ overlap_seconds: 3_600 }],
  },
)
export type WebhookSecretRoll = Static<typeof WebhookSecretRoll>
