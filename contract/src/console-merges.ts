import Type, { type Static } from 'typebox'
import { Choice, Count, Flag, Identifier, IdentifierInput, Nullable, Text, Timestamp } from './schema-kit.ts'

export const MergeQuery = Type.Object(
  { other_id: IdentifierInput('Identifier of the device that would be removed.') },
  {
    title: 'MergeQuery',
    description: 'The device to merge into the one of the address.',
    examples: [{ other_id: '1043' }],
    additionalProperties: false,
  },
)

export const MergeRequest = Type.Object(
  {
    ...MergeQuery.properties,
    is_one_machine: Type.Optional(
      Flag('Merge although both report and nothing shows that they are one machine: you know that they are.'),
    ),
  },
  {
    title: 'MergeRequest',
    description: 'The device to merge into the one of the address, and to remove.',
    examples: [{ other_id: '1043', is_one_machine: true }],
    additionalProperties: false,
  },
)

/** By what two records look like one machine. */
const SharedIdentity = Type.Object(
  {
    serial: Flag('Whether both have the same serial.'),
    hardware_uuid: Flag('Whether both have the same hardware UUID.'),
  },
  { description: 'What both devices say of their hardware alike.' },
)

const MergedDevice = (description: string) =>
  Type.Object(
    {
      id: Identifier('Identifier of the device.'),
      name: Text('Name of the device.'),
      owner_name: Nullable(Text('Name of its registered owner; null when it has none.')),
      serial: Nullable(Text('Its serial, if known.')),
      hardware_uuid: Nullable(Text('Its hardware UUID, if known.')),
      last_seen_at: Nullable(Timestamp('When its agent last reported.')),
      open_issues: Count('How many issues are open on it.'),
    },
    { description },
  )

export const MergePreview = Type.Object(
  {
    kept: MergedDevice('The device that stays.'),
    other: MergedDevice('The device that is removed.'),
    same: SharedIdentity,
    agent: Nullable(
      Choice(
        ['kept', 'other'],
        'Whose agent continues as the device that stays: the one that reported last. Null where neither ever has.',
      ),
    ),
    both_report: Flag('Whether the agents of both have reported within the last ten minutes.'),
    needs_confirmation: Flag(
      'Whether is_one_machine has to be sent: both report, and nothing shows they are one machine.',
    ),
    takes: Type.Object(
      {
        owner_name: Nullable(Text('The owner that it gets; null when it keeps its own or gets none.')),
        note: Flag('Whether it gets the note.'),
        group_names: Type.Array(Text('Name of a device group.'), { description: 'Device groups that it joins.' }),
        exempted_checks: Type.Array(Text('Name of a check.'), { description: 'Checks that it becomes exempt from.' }),
      },
      { description: 'What the device that stays takes over because it has none of its own.' },
    ),
    needs: Type.Array(Choice(['manage_user_requests', 'manage_device_groups'], 'A permission.'), {
      description: 'Permissions that the merge needs in addition, for the owner, exemptions and groups that it moves.',
    }),
    suspends_registration: Flag(
      'Whether the registration is suspended until its owner or an administrator confirms it: the agent that continues was not registered to the owner, or the registration that moves was in doubt already.',
    ),
  },
  {
    title: 'MergePreview',
    description: 'What a merge of two devices would do.',
    examples: [
      {
        kept: {
          ...{ id: '1042', name: 'ana-ruiz-mbp14', owner_name: 'Ana Ruiz', serial: 'C02XG2JHJG5H' },
          ...{ hardware_uuid: null, last_seen_at: '2026-11-12T09:14:03.120Z', open_issues: 1 },
        },
        other: {
          ...{ id: '1043', name: 'ana-ruiz-mbp14', owner_name: null, serial: 'C02XG2JHJG5H' },
          ...{ hardware_uuid: null, last_seen_at: '2026-11-20T09:14:03.120Z', open_issues: 0 },
        },
        same: { serial: true, hardware_uuid: false },
        agent: 'other',
        both_report: false,
        needs_confirmation: false,
        takes: { owner_name: null, note: true, group_names: ['Pilot'], exempted_checks: [] },
        needs: ['manage_device_groups'],
        suspends_registration: false,
      },
    ],
  },
)
export type MergePreview = Static<typeof MergePreview>

export const Twins = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          id: Identifier('Identifier of the device.'),
          name: Text('Name of the device.'),
          same: SharedIdentity,
          last_seen_at: Nullable(Timestamp('When its agent last reported.')),
        },
        { description: 'A device with the same serial or hardware UUID.' },
      ),
      { description: 'Devices that may be the same machine, the latest first; at most 10.' },
    ),
  },
  {
    title: 'Twins',
    description: 'Devices of the same platform that have the serial or the hardware UUID of a device.',
    examples: [
      {
        data: [
          {
            ...{ id: '1043', name: 'ana-ruiz-mbp14', same: { serial: true, hardware_uuid: false } },
            last_seen_at: '2026-11-20T09:14:03.120Z',
          },
        ],
      },
    ],
  },
)
export type Twins = Static<typeof Twins>
