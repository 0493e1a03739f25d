import Type, { type Static, type TUnsafe } from 'typebox'
import { Choice, Count, Identifier, IdentifierInput, Link, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, identifierField, timeField } from './search-fields.ts'
import { webhookEvents } from './webhook-event-summaries.ts'

export const settledDeliveryStates = ['delivered', 'failed'] as const
export type SettledDeliveryState = (typeof settledDeliveryStates)[number]
const states = ['pending', ...settledDeliveryStates] as const

const Milliseconds = (description: string) => Type.Number({ minimum: 0, description })

const Headers = (description: string): TUnsafe<Record<string, string>> =>
  Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' }, description })

const WebhookAttempt = Type.Object(
  {
    attempted_at: Timestamp('When the request was sent.'),
    request_headers: Headers('The headers of the request, as they were sent; values that are secrets are masked.'),
    status: Nullable(Type.Integer({ description: 'HTTP status of the answer; null when there was none.' })),
    error: Nullable(Text('Why it did not succeed; null when it did.')),
    response: Nullable(Text('The first 4 kB of the body of the answer; null when there was none.')),
    timings: Type.Object(
      {
        dns_ms: Milliseconds('Looking up the name of the host; zero on a connection that was open already.'),
        connect_ms: Milliseconds('Connecting; zero likewise.'),
        tls_ms: Milliseconds('The TLS handshake; zero likewise.'),
        first_byte_ms: Milliseconds('From the beginning to the first byte of the answer; zero without an answer.'),
        total_ms: Milliseconds('From the beginning to the end.'),
      },
      { description: 'How long the parts of it took, in milliseconds.' },
    ),
  },
  { description: 'One time that the message was sent to the endpoint.' },
)

const delivery = {
  id: Identifier('Identifier of the delivery.'),
  message_id: Text('The `id` within the body and the header `webhook-id`: what a receiver knows repeats by.'),
  event: Text('What happened: the name of the event.'),
  device: Link('The device that it is about; it may have been deleted since.'),
  state: Choice(states, 'Where it stands: `pending` waits, `delivered` was accepted, `failed` was given up.'),
  attempts_count: Count('How often it was sent.'),
  probes_count: Count(
    'How many of these were ahead of the schedule, to try whether an endpoint that could not be reached is back or because someone asked for it: they use up no attempts.',
  ),
  last_status: Nullable(
    Type.Integer({
      description: 'HTTP status that the latest attempt was answered with; null without an answer or an attempt.',
    }),
  ),
  last_error: Nullable(Text('Why it did not succeed the latest time; null when it did, or was not sent yet.')),
  queued_at: Timestamp('When it was put into the log.'),
  settled_at: Nullable(Timestamp('When it stopped waiting; null while it is pending.')),
  next_attempt_at: Nullable(
    Timestamp(
      'When the next attempt is due: earlier when its endpoint is back after trouble, later while an earlier message of its device waits. Null when it is settled, and while its endpoint is disabled.',
    ),
  ),
  resent_from: Nullable(Identifier('The delivery that this one repeats, when someone asked for it.')),
}

const example = {
  id: '90412',
  message_id: '01KAF5J8T3Q4V9R0C6M1B7X2ZD',
  event: 'device_trust.status_changed',
  device: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
  state: 'delivered',
  attempts_count: 2,
  probes_count: 0,
  last_status: 200,
  last_error: null,
  queued_at: '2026-11-20T09:14:03.120Z',
  settled_at: '2026-11-20T09:14:35.204Z',
  next_attempt_at: null,
  resent_from: null,
} as const

export const WebhookDelivery = Type.Object(delivery, {
  title: 'WebhookDelivery',
  description: 'An entry of the delivery log of an endpoint: one message for it, and what became of it.',
  examples: [example],
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

const signed = {
  'content-type': 'application/json',
  'user-agent': 'Muster',
  'webhook-id': '01KAF5J8T3Q4V9R0C6M1B7X2ZD',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  'webhook-timestamp': '1763630075',
}

export const WebhookDeliveryDetails = Type.Object(
  {
    ...delivery,
    request_body: Text('The body, byte for byte as it is sent, at every attempt and however often it is repeated.'),
    attempts: Type.Array(WebhookAttempt, { description: 'The latest 100 times it was sent, newest first.' }),
  },
  {
    title: 'WebhookDeliveryDetails',
    description: 'An entry of the delivery log with all that was sent and answered.',
    examples: [
      {
        ...example,
        request_body:
          '{"event":"device_trust.status_changed","id":"01KAF5J8T3Q4V9R0C6M1B7X2ZD","timestamp":"2026-11-20T09:14:03Z","data":{"device_id":1042,"device_name":"Ana\'s MacBook","device_status":"blocked","device_url":"https://muster.example.com/devices/1042"}}',
        attempts: [
          {
            attempted_at: '2026-11-20T09:14:35.140Z',
            request_headers: signed,
            status: 200,
            error: null,
            response: 'ok',
            timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 61.2, total_ms: 64.1 },
          },
          {
            attempted_at: '2026-11-20T09:14:03.140Z',
            request_headers: { ...signed, 'webhook-timestamp': '1763630043' },
            status: 503,
            error: 'The receiver answered 503',
            response: 'upstream is starting',
            timings: { dns_ms: 4.1, connect_ms: 18.6, tls_ms: 22.9, first_byte_ms: 70.3, total_ms: 71 },
          },
        ],
      },
    ],
  },
)
export type WebhookDeliveryDetails = Static<typeof WebhookDeliveryDetails>

export const webhookDeliverySearch = {
  id: identifierField,
  message_id: identifierField,
  event: choiceField(webhookEvents),
  state: choiceField(states),
  device_id: identifierField,
  queued_at: timeField,
  last_status: { ...identifierField, nullable: true },
} as const satisfies SearchFields

export const WebhookTestRequest = Type.Object(
  {
    message: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'What the event says; a greeting unless given.' }),
    ),
    event: Type.Optional(
      Choice(
        webhookEvents,
        'Which event to send, with made-up values for all but `webhook.test`, which it is unless given.',
      ),
    ),
  },
  {
    title: 'WebhookTestRequest',
    description: 'What a test event says.',
    examples: [{ message: 'Does this arrive?' }],
  },
)
export type WebhookTestRequest = Static<typeof WebhookTestRequest>

export const WebhookResendRequest = Type.Object(
  {
    from: Text('Deliveries that were queued from this moment on; a date or a date-time.'),
    to: Type.Optional(Text('And before this moment; before now unless given.')),
    states: Type.Optional(
      Type.Array(Choice(settledDeliveryStates, 'A state.'), {
        minItems: 1,
        description: 'Only those in one of these states; those that failed unless given.',
      }),
    ),
    after_id: Type.Optional(
      IdentifierInput('Only those after this one: `next_after_id` of the answer before, together with its `to`.'),
    ),
  },
  {
    title: 'WebhookResendRequest',
    description: 'Which deliveries of an endpoint to send again, by when they were queued.',
    examples: [{ from: '2026-11-20T09:00:00Z' }],
  },
)
export type WebhookResendRequest = Static<typeof WebhookResendRequest>

export const WebhookResend = Type.Object(
  {
    resent_count: Count('How many messages are sent again, each as a new delivery.'),
    to: Timestamp('Where the range ended.'),
    next_after_id: Nullable(
      Identifier(
        'What to send as `after_id` for the rest, with the same `from` and this `to`; null when that was all.',
      ),
    ),
  },
  {
    title: 'WebhookResend',
    description: 'What a call for repeats did.',
    examples: [{ resent_count: 218, to: '2026-11-20T12:00:00.000Z', next_after_id: null }],
  },
)
export type WebhookResend = Static<typeof WebhookResend>
