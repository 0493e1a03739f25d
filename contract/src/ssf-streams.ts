import Type, { type Static } from 'typebox'
import { deliveryMethods } from './delivery-methods.ts'
import { Choice, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

const example = {
  id: '31',
  iss: 'https://muster.example.com',
  stream_id: '6f8ff5a3-6d6c-4f0a-8f4e-0b8a5fd7c1d2',
  name: 'Okta',
  aud: 'https://acme.okta.example',
  delivery_type: 'push',
  spec_version: 'v1_0',
  enabled: true,
  events_supported: [
    'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change',
    'https://schemas.openid.net/secevent/ssf/event-type/verification',
  ],
  events_requested: [
    'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change',
    'https://schemas.openid.net/secevent/ssf/event-type/verification',
  ],
  events_delivered: [
    'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change',
    'https://schemas.openid.net/secevent/ssf/event-type/verification',
  ],
  created_at: '2026-11-20T09:14:03.120Z',
  updated_at: '2026-11-20T09:14:03.120Z',
  delivery: {
    method: 'urn:ietf:rfc:8935',
    endpoint_url: 'https://acme.okta.example/security/api/v1/security-events',
  },
  min_verification_interval: 1,
  device_subject_format: 'iss_sub',
  health: { state: 'ok', failing_since: null, last_error: null, last_delivered_at: '2026-11-20T09:15:00.000Z' },
}

const methodValues = [deliveryMethods.push, deliveryMethods.poll] as const
const deliveryTypes = ['push', 'poll'] as const
const specVersions = ['v1_0', 'draft'] as const
const deviceSubjectFormats = ['iss_sub', 'opaque'] as const

const events = (description: string) => Type.Array(Text('The URI of a type of event.'), { description })

const SsfStreamHealth = Type.Object(
  {
    state: Choice(
      ['ok', 'failing', 'stopped', 'no_poll_token'],
      '`failing`: the receiver does not take events, and is tried again; `stopped`: the stream is paused or disabled; `no_poll_token`: nobody can poll until a token is rotated in.',
    ),
    failing_since: Nullable(Timestamp('Since when the receiver takes no events; null while it does.')),
    last_error: Nullable(Text('Why the latest attempt failed; null when none did.')),
    last_delivered_at: Nullable(
      Timestamp('When a receiver last accepted an event that was pushed, or acknowledged one that it polled.'),
    ),
  },
  { description: 'An addition: whether the receiver gets what it should.' },
)

export const SsfStream = Type.Object(
  {
    id: Identifier('Identifier of the stream.'),
    iss: Text('Issuer of its tokens: the base address of the service.', { format: 'uri' }),
    stream_id: Text('Identifier of the stream, as its receiver knows it. Paths take either.', { format: 'uuid' }),
    name: Text('What the stream is called.'),
    description: Type.Optional(Text('An addition, when set: what the stream is for.')),
    aud: Nullable(Text('Who its tokens are for; null for poll streams that were made with the legacy body.')),
    delivery_type: Choice(deliveryTypes, 'Whether events are sent to the receiver, or fetched by it.'),
    spec_version: Choice(
      specVersions,
      'How events name their subject: `v1_0` as `sub_id` of the token, `draft` inside of the event. Never changes.',
    ),
    enabled: Flag('Whether the stream is on.'),
    poll_bearer_token: Type.Optional(
      Text('What a receiver polls with. Shown once, where it is made; it cannot be recovered.'),
    ),
    events_supported: events('What the service can report.'),
    events_requested: events('What the receiver requested, and the verification event, which is always added.'),
    events_delivered: events('What of that the stream delivers.'),
    created_at: Timestamp('When the stream was made.'),
    updated_at: Timestamp('When it was last changed.'),
    delivery: Type.Object(
      {
        method: Choice(methodValues, 'How events are delivered: pushed (RFC 8935) or polled (RFC 8936).'),
        endpoint_url: Text('Where they are sent to, or fetched from.', { format: 'uri' }),
        authorization_header: Type.Optional(
          Text('An addition: the `authorization_header` of the stream, where the Shared Signals Framework has it.'),
        ),
      },
      { description: 'How events reach the receiver.' },
    ),
    authorization_header: Type.Optional(
      Text('Of push streams, when set: what is sent as `Authorization` with every event.'),
    ),
    min_verification_interval: Type.Integer({
      description:
        'An addition: the seconds between requests for verification on average. Up to ten may come at once; further ones are a 429.',
    }),
    device_subject_format: Choice(
      deviceSubjectFormats,
      'An addition: how events name the device (RFC 9493). `draft` streams always use `opaque`.',
    ),
    health: SsfStreamHealth,
  },
  { title: 'SsfStream', description: 'A stream of compliance signals to one receiver.', examples: [example] },
)
export type SsfStream = Static<typeof SsfStream>

const name = Type.Optional(Text('What to call the stream.', { minLength: 1, maxLength: 200 }))
const description = Type.Optional(Nullable(Text('What the stream is for.', { maxLength: 1_000 })))
const authorizationHeader = Type.Optional(
  Nullable(
    Text('Sent as `Authorization` with every pushed event; null for none.', {
      maxLength: 4_096,
    }),
  ),
)
const eventList = Type.Optional(
  Type.Array(Text('The URI.', { maxLength: 2_048 }), {
    description:
      'What to deliver; the device compliance change unless given. Unknown types are ignored: a stream without a known one delivers verification events only.',
    maxItems: 100,
  }),
)

const Delivery = Type.Object(
  {
    method: Choice(methodValues, 'How events are delivered.'),
    endpoint_url: Type.Optional(
      Nullable(Text('Where events are pushed to: an https address on a publicly reachable host.')),
    ),
    authorization_header: authorizationHeader,
  },
  { description: 'How events reach the receiver.' },
)

const LegacyStream = Type.Object(
  {
    name,
    description,
    aud: Type.Optional(
      Nullable(Text('Where events are pushed to, and who they are for: an https address on a public host.')),
    ),
    delivery_type: Type.Optional(Choice(deliveryTypes, 'Whether events are pushed or polled.')),
    event_subscriptions: eventList,
    authorization_header: authorizationHeader,
  },
  { description: 'The legacy body. With it the other members are ignored.' },
)

const audienceLengths = { minLength: 1, maxLength: 2_048 }

const settings = {
  name,
  description,
  aud: Type.Optional(
    Type.Union(
      [
        Nullable(Text('One audience.', audienceLengths)),
        Type.Array(Type.String(audienceLengths), { minItems: 1, maxItems: 1 }),
      ],
      {
        description:
          'Who the tokens are for, where that is not the address they are pushed to. A list of one is taken as well (RFC 7519 §4.1.3); records show the text.',
      },
    ),
  ),
  delivery: Type.Optional(Delivery),
  events_requested: eventList,
  authorization_header: authorizationHeader,
  device_subject_format: Type.Optional(
    Choice(
      deviceSubjectFormats,
      'How events name the device: `iss_sub` unless given. `opaque` is for receivers that cannot read `iss_sub`. `draft` streams always use `opaque`.',
    ),
  ),
  ssf_stream: Type.Optional(LegacyStream),
}

const standardExample = {
  name: 'Okta',
  aud: 'https://acme.okta.example',
  delivery: {
    method: deliveryMethods.push,
    endpoint_url: 'https://acme.okta.example/security/api/v1/security-events',
  },
  events_requested: ['https://schemas.openid.net/secevent/caep/event-type/device-compliance-change'],
}

export const SsfStreamCreation = Type.Object(
  {
    ...settings,
    spec_version: Type.Optional(
      Choice(specVersions, 'How events name their subject; `v1_0` unless given, always `draft` with the legacy body.'),
    ),
  },
  {
    title: 'SsfStreamCreation',
    description: 'A stream to make: the standard members, or the legacy body alone. Other members are ignored.',
    examples: [standardExample],
  },
)
export type SsfStreamCreation = Static<typeof SsfStreamCreation>

export const SsfStreamChange = Type.Object(settings, {
  title: 'SsfStreamChange',
  description:
    'What to change of a stream. Members that belong to the service are refused when they differ; unknown ones are ignored.',
  examples: [{ name: 'Okta production' }],
})
export type SsfStreamChange = Static<typeof SsfStreamChange>

const streamId = Text('Identifier of the stream, or its `stream_id`.', { minLength: 1, maxLength: 64 })

export const SsfStreamCollectionChange = Type.Object(
  { stream_id: streamId, ...settings },
  {
    title: 'SsfStreamCollectionChange',
    description: 'Which stream to change, and what of it.',
    examples: [{ stream_id: example.stream_id, ...standardExample }],
  },
)
export type SsfStreamCollectionChange = Static<typeof SsfStreamCollectionChange>

export const SsfStreamReference = Type.Object(
  { stream_id: streamId },
  { title: 'SsfStreamReference', description: 'A stream.', examples: [{ stream_id: example.stream_id }] },
)
export type SsfStreamReference = Static<typeof SsfStreamReference>

const statuses = ['enabled', 'paused', 'disabled'] as const

export const SsfStreamStatus = Type.Object(
  {
    stream_id: Text('The `stream_id` of the stream.', { format: 'uuid' }),
    status: Choice(statuses, 'Whether events are delivered; `paused` keeps them, and only after it was asked for.'),
    reason: Type.Optional(Text('An addition, when set: why.')),
  },
  {
    title: 'SsfStreamStatus',
    description: 'Whether a stream is on.',
    examples: [{ stream_id: example.stream_id, status: 'enabled' }],
  },
)
export type SsfStreamStatus = Static<typeof SsfStreamStatus>

export const SsfStreamStatusChange = Type.Object(
  {
    stream_id: streamId,
    status: Choice(
      statuses,
      '`paused` keeps events for later, in their order; with `disabled` what happens is not queued.',
    ),
    reason: Type.Optional(Nullable(Text('Why.', { maxLength: 500 }))),
  },
  {
    title: 'SsfStreamStatusChange',
    description: 'Turns a stream on or off.',
    examples: [{ stream_id: example.stream_id, status: 'paused', reason: 'Maintenance until noon' }],
  },
)
export type SsfStreamStatusChange = Static<typeof SsfStreamStatusChange>

export const SsfVerification = Type.Object(
  {
    stream_id: streamId,
    state: Type.Optional(Nullable(Text('Comes back in the event.', { maxLength: 1_024 }))),
  },
  {
    title: 'SsfVerification',
    description: 'Asks for a verification event.',
    examples: [{ stream_id: example.stream_id, state: 'VGhpcyBpcyBhbiBleGFtcGxl' }],
  },
)
export type SsfVerification = Static<typeof SsfVerification>

export const SsfTestRequest = Type.Object(
  { email: Text('Whom the event is about.', { format: 'email', maxLength: 320 }) },
  {
    title: 'SsfTestRequest',
    description: 'Whom a test event is about.',
    examples: [{ email: 'ana@acme.example' }],
  },
)
export type SsfTestRequest = Static<typeof SsfTestRequest>

export const SsfTest = Type.Object(
  {
    success: Flag('Whether the receiver accepted it, or it waits to be polled.'),
    response_code: Text('The status that the receiver answered, `202` for poll streams, or `no_response`.'),
    ssf_stream_event_id: Type.Integer({ description: 'Identifier of the event in the history of the stream.' }),
    hint: Type.Optional(Text('A note about the event, if there is one, such as that nobody has the e-mail address.')),
  },
  {
    title: 'SsfTest',
    description: 'What came of a test.',
    examples: [{ success: true, response_code: '202', ssf_stream_event_id: 4711 }],
  },
)
export type SsfTest = Static<typeof SsfTest>

export const SsfPollTokenRotation = Type.Object(
  {
    mode: Choice(
      ['overlap', 'immediate', 'disable'],
      '`overlap`: a new token, and the previous ones stay valid for some time; `immediate`: a new token alone; `disable`: none, which ends polling until a token is rotated in.',
    ),
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: 'With `overlap`: how long the previous tokens stay valid.',
      }),
    ),
  },
  {
    title: 'SsfPollTokenRotation',
    description: 'How to replace the token that a receiver polls with.',
    examples: [{ mode: 'overlap', overlap_seconds: 3_600 }],
  },
)
export type SsfPollTokenRotation = Static<typeof SsfPollTokenRotation>
