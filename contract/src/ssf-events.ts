import Type, { type Static } from 'typebox'
import { Choice, Count, Identifier, IdentifierInput, Link, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, identifierField, timeField } from './search-fields.ts'

const kinds = ['compliance_change', 'verification', 'stream_updated', 'test'] as const

export const settledStates = ['delivered', 'acknowledged', 'rejected', 'expired'] as const
export type SettledState = (typeof settledStates)[number]
const states = ['pending', ...settledStates] as const
const complianceStatuses = ['compliant', 'not-compliant'] as const

const SsfAttempt = Type.Object(
  {
    attempted_at: Timestamp('When the token was sent.'),
    duration_ms: Count('How long the receiver took, in milliseconds.'),
    status: Nullable(Type.Integer({ description: 'HTTP status of the answer; null when there was none.' })),
    error: Nullable(Text('Why it did not succeed; null when it did.')),
  },
  { description: 'One time that the token was sent to the receiver.' },
)

export const SsfStreamEvent = Type.Object(
  {
    id: Identifier('Identifier of the entry.'),
    sequence: Nullable(
      Type.Integer({
        minimum: 1,
        description:
          'Its place among the events of the stream, without gaps; null until it is settled, or a snapshot or checkpoint was read.',
      }),
    ),
    jti: Text('Identifier of the token, the same however often it is sent: what a receiver knows repeats by.'),
    kind: Choice(kinds, 'What it is about: a device, the stream itself, or nothing (a verification, a test).'),
    event_type: Text('The type of the event within the token.', { format: 'uri' }),
    subject: Type.Object(
      {
        device: Link('The device; it may have been deleted since.'),
        user_email: Nullable(Text('E-mail address of the person it names, as it was then; null when it names nobody.')),
      },
      { description: 'Whom it is about; nobody where it is about the stream.' },
    ),
    txn: Text('The same for everything that one change caused.'),
    state: Choice(
      states,
      'Where it stands: `pending` waits, `delivered` was accepted when pushed, `acknowledged` was polled and confirmed, `rejected` was refused by the receiver, `expired` waited for too long.',
    ),
    previous_status: Nullable(
      Choice(complianceStatuses, 'Compliance of the device before; null where it is about none.'),
    ),
    current_status: Nullable(
      Choice(complianceStatuses, 'Compliance of the device after; null where it is about none.'),
    ),
    occurred_at: Timestamp('When what it reports happened.'),
    queued_at: Timestamp('When it was put into the ledger.'),
    issued_at: Nullable(Timestamp('The `iat` of its token; null until that is settled.')),
    settled_at: Nullable(Timestamp('When it stopped waiting; null while it is pending.')),
    next_attempt_at: Nullable(
      Timestamp('Until when it is held back after trouble at the receiver; null when nothing holds it.'),
    ),
    attempts_count: Count('How often it was sent to the receiver; of polled streams always 0.'),
    attempts: Type.Array(SsfAttempt, {
      description: 'The latest times it was sent, newest first: at most 10 in a list and 100 in a single record.',
    }),
    error: Nullable(
      Type.Object(
        {
          err: Nullable(Text('The code that the receiver gave (RFC 8935 section 2.4); null when it gave none.')),
          description: Nullable(Text('What the receiver wrote about it; null when it wrote nothing.')),
        },
        { description: 'Why it was not delivered; null unless it was rejected or expired.' },
      ),
    ),
    claims: Nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'What the token says (RFC 8417); null until that is settled.',
      }),
    ),
    token: Nullable(
      Text(
        'The signed token, byte for byte as it is sent; null until it can be signed, once its key is withdrawn, and in lists of the console.',
      ),
    ),
  },
  {
    title: 'SsfStreamEvent',
    description: 'An entry of the ledger of a stream: one event for its receiver, and what became of it.',
    examples: [
      {
        id: '48211',
        sequence: 731,
        jti: '5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11',
        kind: 'compliance_change',
        event_type: 'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change',
        subject: {
          device: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
          user_email: 'ana@acme.example',
        },
        txn: '7c1e0d52-3f6b-4a8e-9b17-d04c2e5a6f31',
        state: 'delivered',
        previous_status: 'compliant',
        current_status: 'not-compliant',
        occurred_at: '2026-11-20T09:14:03.120Z',
        queued_at: '2026-11-20T09:14:03.120Z',
        issued_at: '2026-11-20T09:14:03.120Z',
        settled_at: '2026-11-20T09:14:05.204Z',
        next_attempt_at: null,
        attempts_count: 2,
        attempts: [
          { attempted_at: '2026-11-20T09:14:05.166Z', duration_ms: 38, status: 202, error: null },
          {
            attempted_at: '2026-11-20T09:14:03.140Z',
            duration_ms: 21,
            status: 503,
            error: 'The receiver answered 503',
          },
        ],
        error: null,
        claims: { jti: '5f0b0d0e-7c44-4a3c-9e0f-0a4f2d2b9c11' },
        token: 'eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiI1ZjBiMGQwZSJ9.c2lnbmF0dXJl',
      },
    ],
  },
)
export type SsfStreamEvent = Static<typeof SsfStreamEvent>

export const ssfStreamEventSearch = {
  id: identifierField,
  jti: identifierField,
  state: choiceField(states),
  kind: choiceField(kinds),
  device_id: { ...identifierField, nullable: true },
  queued_at: timeField,
} as const satisfies SearchFields

export const SsfReplayRequest = Type.Object(
  {
    jtis: Type.Optional(
      Type.Array(Type.String({ pattern: '^[!-~]{1,100}$' }), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Which events, by the identifiers of their tokens; those that are not in the ledger are ignored.',
      }),
    ),
    from: Type.Optional(Text('Instead of `jtis`: changes of devices that were queued from this moment on.')),
    to: Type.Optional(Text('Instead of `jtis`: changes of devices that were queued before this moment.')),
    states: Type.Optional(
      Type.Array(Choice(settledStates, 'A state.'), {
        minItems: 1,
        description: 'With `from` and `to`: only events in one of these states; of all settled ones unless given.',
      }),
    ),
    after_id: Type.Optional(
      IdentifierInput('With `from` and `to`: only entries after this one, from `next_after_id` of the answer before.'),
    ),
  },
  {
    title: 'SsfReplayRequest',
    description: 'Which events of a stream to send again: either `jtis`, or `from` and `to`, each a date or date-time.',
    examples: [{ from: '2026-11-20T09:00:00Z', to: '2026-11-20T12:00:00Z', states: ['rejected', 'expired'] }],
  },
)
export type SsfReplayRequest = Static<typeof SsfReplayRequest>

export const SsfReplay = Type.Object(
  {
    replayed_count: Count('How many events wait for the receiver again.'),
    next_after_id: Nullable(
      Identifier('What to send as `after_id` for the rest, with the same `from` and `to`; null when that was all.'),
    ),
  },
  {
    title: 'SsfReplay',
    description: 'What a replay did.',
    examples: [{ replayed_count: 218, next_after_id: null }],
  },
)
export type SsfReplay = Static<typeof SsfReplay>
