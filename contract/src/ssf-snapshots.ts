import Type, { type Static } from 'typebox'
import { Pagination } from './pagination.ts'
import { Choice, Count, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

const complianceStatuses = ['compliant', 'not-compliant'] as const

const sequence = Count(
  'The place in the stream that this stands at: it contains every event up to this one, and none after it.',
)

export const SsfSnapshotQuery = Type.Object(
  {
    cursor: Type.Optional(Text('Where the page begins, from `next_cursor` of the page before.', { default: '' })),
    per_page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description:
          'How many devices a page holds at most: 100 unless given, and 1,000 where all pages are one answer.',
      }),
    ),
  },
  { title: 'SsfSnapshotQuery', description: 'How a snapshot is paged.', examples: [{ cursor: '', per_page: 100 }] },
)
export type SsfSnapshotQuery = Static<typeof SsfSnapshotQuery>

const SsfDeviceStatus = Type.Object(
  {
    device_id: Identifier('Identifier of the device.'),
    user_email: Nullable(Text('E-mail address of the person it is registered to; null when it is to nobody.')),
    current_status: Choice(complianceStatuses, 'What receivers last learned about it.'),
  },
  { description: 'Where a device stands.' },
)

export const SsfSnapshot = Type.Object(
  {
    sequence,
    token: Text('This page as a signed token of the type `muster-snapshot+jwt`, for the receiver of the stream.'),
    devices: Type.Array(SsfDeviceStatus, { description: 'What the token says, to read.' }),
    pagination: Pagination,
  },
  {
    title: 'SsfSnapshot',
    description: 'Where devices stand, at an exact place in a stream.',
    examples: [
      {
        sequence: 731,
        token: 'eyJhbGciOiJSUzI1NiJ9.eyJzZXF1ZW5jZSI6NzMxfQ.c2lnbmF0dXJl',
        devices: [{ device_id: '1042', user_email: 'ana@acme.example', current_status: 'not-compliant' }],
        pagination: { next: '', current_cursor: '', next_cursor: '', count: 1 },
      },
    ],
  },
)
export type SsfSnapshot = Static<typeof SsfSnapshot>

export const SsfCheckpoint = Type.Object(
  {
    sequence,
    digest: Text(
      'SHA-256 in hexadecimal over the identifiers of all devices that are not compliant, in ascending numeric order, each followed by a line feed.',
    ),
    blocked_devices_count: Count('How many devices the digest is over.'),
    settled: Flag('Whether no change of a device waited for the receiver then; while one does, compare later.'),
    at: Timestamp('When it was taken.'),
    token: Text('The same as a signed token of the type `muster-checkpoint+jwt`, for the receiver of the stream.'),
  },
  {
    title: 'SsfCheckpoint',
    description: 'A proof of which devices are not compliant, at an exact place in a stream.',
    examples: [
      {
        sequence: 731,
        digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        blocked_devices_count: 0,
        settled: true,
        at: '2026-11-20T09:14:03.120Z',
        token: 'eyJhbGciOiJSUzI1NiJ9.eyJzZXF1ZW5jZSI6NzMxfQ.c2lnbmF0dXJl',
      },
    ],
  },
)
export type SsfCheckpoint = Static<typeof SsfCheckpoint>
