import Type, { type Static } from 'typebox'
import { maxCounted } from './max-counted.ts'
import { Choice, Count, Flag, Nullable, Text, Timestamp } from './schema-kit.ts'
import { SsfStreamEvent, settledStates } from './ssf-events.ts'
import { SsfStreamStatusChange, SsfVerification } from './ssf-streams.ts'
import { settledDeliveryStates, WebhookDelivery } from './webhook-deliveries.ts'

const exampleOf = (schema: object) => (schema as { readonly examples: readonly object[] }).examples[0]

const counted = (what: string) => Count(`${what}; ${maxCounted.toLocaleString('en')} means that many or more.`)
const deviceName = () => Nullable(Text('Name of the device now; null where there is none, or none anymore.'))
const search = (what: string) => Type.Optional(Text(what, { maxLength: 200 }))

/** What is not settled yet, each in one of two counts. */
const pendingCounts = (what: string) => ({
  waiting: Count(`How many ${what} wait for their first attempt.`),
  retrying: Count(`How many ${what} were tried in vain, and wait for another attempt.`),
  is_more_pending: Flag(
    `Whether more than ${maxCounted.toLocaleString('en')} ${what} are pending: the two counts are the least there are then.`,
  ),
})

/** What the page of a stream shows beside its record. */
export const StreamView = Type.Object(
  {
    status: SsfStreamStatusChange.properties.status,
    reason: Nullable(Text('Why it was paused or disabled; null when nobody said.')),
    needs_no_poll_token: Flag('Whether it is from before poll tokens, and is polled without one.'),
    poll_tokens: Type.Array(
      Type.Object(
        {
          created_at: Timestamp('When the token was made.'),
          valid_until: Nullable(Timestamp('When it ends; null when nothing ends it.')),
        },
        { description: 'A token that the stream can be polled with; nobody can be shown it.' },
      ),
      { description: 'The active tokens, the newest first; none of push streams. At most 20.' },
    ),
    accepted_today: counted('How many of the events that were queued in the last 24 hours the receiver took'),
    rejected_today: counted('How many of them it refused, or left until they expired'),
    ...pendingCounts('events'),
    median_ms: Nullable(Count('How long the receiver took, the median of its latest 500 answers; null without any.')),
    p99_ms: Nullable(Count('What 99 of 100 of them stayed within.')),
  },
  {
    title: 'StreamView',
    description: 'How a stream stands, for its page.',
    examples: [
      {
        status: 'paused',
        reason: 'Maintenance until noon',
        needs_no_poll_token: false,
        poll_tokens: [{ created_at: '2026-11-20T09:14:03.120Z', valid_until: null }],
        accepted_today: 214,
        rejected_today: 1,
        waiting: 1,
        retrying: 0,
        is_more_pending: false,
        median_ms: 41,
        p99_ms: 190,
      },
    ],
  },
)
export type StreamView = Static<typeof StreamView>

export const StreamEventView = Type.Object(
  { ...SsfStreamEvent.properties, device_name: deviceName() },
  {
    title: 'StreamEventView',
    description: 'An event of a stream, with the name of its device.',
    examples: [{ ...exampleOf(SsfStreamEvent), device_name: 'ana-ruiz-mbp14' }],
  },
)
export type StreamEventView = Static<typeof StreamEventView>

export const StreamEventFilter = Type.Object(
  {
    state: Type.Optional(SsfStreamEvent.properties.state),
    kind: Type.Optional(SsfStreamEvent.properties.kind),
    search: search('A `jti`, or a part of the name of a device, or of the name or e-mail address of its owner.'),
    txn: Type.Optional(Text('With `around`: only what has this cause.', { maxLength: 100 })),
    around: Type.Optional(Text('When that was queued, give or take ten minutes.', { maxLength: 40 })),
  },
  {
    title: 'StreamEventFilter',
    description: 'What narrows the events of a stream.',
    examples: [{ state: 'rejected', search: 'ana' }],
  },
)
export type StreamEventFilter = Static<typeof StreamEventFilter>

const range = {
  from: Text('From this moment on; a date or a date-time.', { maxLength: 40 }),
  to: Text('And before this moment.', { maxLength: 40 }),
}

export const StreamReplayRange = Type.Object(
  { ...range, state: Type.Optional(Choice(settledStates, 'Only in this state.')) },
  {
    title: 'StreamReplayRange',
    description: 'Which changes of devices would be sent again, by when they were queued.',
    examples: [{ from: '2026-11-20T09:00:00Z', to: '2026-11-20T12:00:00Z', state: 'rejected' }],
  },
)

export const RangeCount = Type.Object(
  { count: counted('How many') },
  { title: 'RangeCount', description: 'How many a range has.', examples: [{ count: 218 }] },
)
export type RangeCount = Static<typeof RangeCount>

export const StreamAuthorization = Type.Object(
  { authorization_header: Nullable(Text('What is sent with every event; null where nothing is.')) },
  {
    title: 'StreamAuthorization',
    description: 'The authorization header of a stream.',
    examples: [{ authorization_header: 'Bearer the-secret-of-the-receiver' }],
  },
)
export type StreamAuthorization = Static<typeof StreamAuthorization>

/** Turns a stream on or off, and tells its receiver. */
export const StreamStatusRequest = Type.Omit(SsfStreamStatusChange, ['stream_id'], {
  title: 'StreamStatusRequest',
  description: 'Turns a stream on or off.',
  examples: [{ status: 'paused', reason: 'Maintenance until noon' }],
})
export type StreamStatusRequest = Static<typeof StreamStatusRequest>

export const StreamVerificationRequest = Type.Omit(SsfVerification, ['stream_id'], {
  title: 'StreamVerificationRequest',
  description: 'Asks for a verification event.',
  examples: [{ state: 'VGhpcyBpcyBhbiBleGFtcGxl' }],
})

/** What the page of a webhook shows beside its record. */
export const WebhookView = Type.Object(
  {
    delivered_today: counted('How many of the messages that were queued in the last 24 hours the receiver took'),
    failed_today: counted('How many of them were given up'),
    ...pendingCounts('messages'),
    failed: counted('How many messages were given up in all that is kept'),
  },
  {
    title: 'WebhookView',
    description: 'How a webhook stands, for its page.',
    examples: [{ delivered_today: 214, failed_today: 1, waiting: 1, retrying: 2, is_more_pending: false, failed: 3 }],
  },
)
export type WebhookView = Static<typeof WebhookView>

export const DeliveryView = Type.Object(
  { ...WebhookDelivery.properties, device_name: deviceName() },
  {
    title: 'DeliveryView',
    description: 'A delivery of a webhook, with the name of its device.',
    examples: [{ ...exampleOf(WebhookDelivery), device_name: 'ana-ruiz-mbp14' }],
  },
)
export type DeliveryView = Static<typeof DeliveryView>

export const DeliveryViewFilter = Type.Object(
  {
    state: Type.Optional(WebhookDelivery.properties.state),
    event: Type.Optional(Text('Name of an event.', { maxLength: 100 })),
    search: search('A message’s `id`, or a part of the name of a device, or of the name or e-mail of its owner.'),
  },
  {
    title: 'DeliveryViewFilter',
    description: 'What narrows the deliveries of a webhook.',
    examples: [{ state: 'failed', event: 'issues.new' }],
  },
)
export type DeliveryViewFilter = Static<typeof DeliveryViewFilter>

export const WebhookResendRange = Type.Object(
  {
    ...range,
    state: Type.Optional(Choice(settledDeliveryStates, 'Only in this state; those that failed unless given.')),
  },
  {
    title: 'WebhookResendRange',
    description: 'Which messages would be sent again, by when they were queued.',
    examples: [{ from: '2026-11-20T09:00:00Z', to: '2026-11-20T12:00:00Z' }],
  },
)
