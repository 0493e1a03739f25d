import Type, { type Static } from 'typebox'
import { Count, Identifier, IdentifierInput, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { nullableTextField, textField, timeField } from './search-fields.ts'

export const PersonGroup = Type.Object(
  {
    id: Identifier('Identifier of the group.'),
    name: Text('Name of the group at the identity provider.'),
  },
  {
    title: 'PersonGroup',
    description: 'A group of people, kept by the identity provider.',
    examples: [{ id: '27', name: 'Finance' }],
  },
)
export type PersonGroup = Static<typeof PersonGroup>

export const personGroupSearch = { name: textField } as const satisfies SearchFields

export const DeviceGroup = Type.Object(
  {
    id: Identifier('Identifier of the group.'),
    created_at: Timestamp('When the group was made.'),
    name: Text('Name of the group.'),
    description: Nullable(Text('What the group is for; null when nobody said.')),
    members_count: Count('How many devices are in the group.'),
  },
  {
    title: 'DeviceGroup',
    description: 'A group of devices that checks may target or leave out.',
    examples: [
      {
        id: '8',
        created_at: '2026-01-15T13:20:00.000Z',
        name: 'Early adopters',
        description: 'Gets new checks a week before everyone else.',
        members_count: 34,
      },
    ],
  },
)
export type DeviceGroup = Static<typeof DeviceGroup>

export const deviceGroupSearch = {
  created_at: timeField,
  name: textField,
  description: nullableTextField,
} as const satisfies SearchFields

export const DeviceGroupMembership = Type.Object(
  {
    device_id: Identifier('The device that was added or removed; the first one if the request names several.'),
    group_id: Identifier('The group that the device was added to or removed from.'),
    data: Type.Array(
      Type.Object(
        {
          device_id: Identifier('A device of the request.'),
          group_id: Identifier('The group.'),
        },
        { description: 'One device, and the group it was added to or removed from.' },
      ),
      {
        description:
          'Every device of the request, in its order and without repeats, including those that were in the group before. An addition to the contract.',
      },
    ),
  },
  {
    title: 'DeviceGroupMembership',
    description: 'Which devices were added to a device group or removed from it.',
    examples: [
      {
        device_id: '1042',
        group_id: '8',
        data: [
          { device_id: '1042', group_id: '8' },
          { device_id: '1043', group_id: '8' },
        ],
      },
    ],
  },
)
export type DeviceGroupMembership = Static<typeof DeviceGroupMembership>

export const DeviceGroupMembershipRequest = Type.Object(
  {
    device_ids: Type.Optional(
      Type.Array(IdentifierInput('Identifier of a device.'), {
        minItems: 1,
        description: 'The devices to add; either all of them are added or none.',
      }),
    ),
    device_id: Type.Optional(IdentifierInput('The device to add; instead of `device_ids`.')),
  },
  {
    title: 'DeviceGroupMembershipRequest',
    description: 'Devices to add to a group, by exactly one of `device_ids` and `device_id`.',
    examples: [{ device_ids: ['1042', 1043] }],
  },
)
export type DeviceGroupMembershipRequest = Static<typeof DeviceGroupMembershipRequest>
