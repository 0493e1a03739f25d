import Type, { type Static } from 'typebox'
import { computerTypes } from './computer-types.ts'
import { Choice, Count, Nullable, Text, Timestamp } from './schema-kit.ts'

const Companion = Type.Object(
  {
    state: Choice(['linked', 'linking'], 'Whether it proves the device, or waits for its link to it.'),
    kid: Text('Thumbprint of its key.'),
    agent_version: Text('Its version.'),
    is_bundled: Type.Boolean({ description: 'Whether it is the bundled agent’s, and not a program beside osqueryd.' }),
    linked_at: Nullable(Timestamp('Since when it is linked to the device; null before the first time.')),
    linked_by: Nullable(
      Choice(
        ['file', 'node_key'],
        'What proved the link: a file that osquery reported, or in a trial the node key; null before the first time.',
      ),
    ),
    last_contact_at: Timestamp('When it last checked in.'),
    last_proved_at: Nullable(Timestamp('When it last proved the device at a sign-in; null if never.')),
    seen_twice_at: Nullable(Timestamp('When its key was last seen with an outdated state; null if never.')),
    port: Nullable(
      Type.Integer({
        description: 'The port of 127.0.0.1 that it listens on; null where it has none, or has not said.',
      }),
    ),
    taken_ports: Type.Array(Type.Integer(), {
      description:
        'The ports that other programs held when it tried them; all of its ports where it tried them and has none.',
    }),
  },
  { description: 'The companion that is linked to the device, or else the newest that waits for its link.' },
)

/** What proves at sign-ins that a browser runs on the device. */
export const DeviceCompanion = Type.Object(
  { companion: Nullable(Companion) },
  {
    title: 'DeviceCompanion',
    description: 'The companion of a device; null where there is none.',
    examples: [
      {
        companion: {
          state: 'linked',
          kid: 'trQULYmfvQh1Yq8wOnQpvOenTW-ki4PJSqEAP_Svvq4',
          agent_version: '1.4.0',
          is_bundled: false,
          linked_at: '2026-11-20T03:12:41.301Z',
          linked_by: 'file',
          last_contact_at: '2026-11-20T09:13:55.018Z',
          last_proved_at: '2026-11-20T08:01:12.440Z',
          seen_twice_at: null,
          port: 17_443,
          taken_ports: [15_861],
        },
      },
    ],
  },
)
export type DeviceCompanion = Static<typeof DeviceCompanion>

/** How far companions are rolled out. */
export const CompanionSummary = Type.Object(
  {
    computers: Count('Devices that are no phones or tablets.'),
    linked: Count('Those of them with a linked companion.'),
    linking: Count('Those with a companion that waits for its link.'),
    none: Count('Those without a companion.'),
    seen_twice: Count('Those with a companion whose key was seen twice.'),
    without_device: Count('Companions that wait for their link on machines that are no device.'),
    by_type: Type.Array(
      Type.Object(
        {
          device_type: Choice(computerTypes, 'The platform.'),
          computers: Count('Computers of this platform.'),
          none: Count('Those of them without a companion.'),
        },
        { description: 'The computers of a platform.' },
      ),
      { description: 'The same of each platform that has a computer.' },
    ),
  },
  {
    title: 'CompanionSummary',
    description: 'How many computers have a companion, and how many companions have no computer yet.',
    examples: [
      {
        ...{ computers: 196, linked: 180, linking: 4, none: 12, seen_twice: 0, without_device: 2 },
        by_type: [{ device_type: 'Linux', computers: 196, none: 12 }],
      },
    ],
  },
)
export type CompanionSummary = Static<typeof CompanionSummary>
