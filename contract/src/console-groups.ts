import Type, { type Static } from 'typebox'
import { Count, Flag, Identifier, IdentifierInput, Nullable, Text } from './schema-kit.ts'

/** A row of the list of person groups. */
export const PersonGroupView = Type.Object(
  {
    id: Identifier('Identifier of the group.'),
    name: Text('Name of the group.'),
    members_count: Count('How many people are in the group, without those who were taken out of the organization.'),
    devices_count: Count('How many devices let members of the group sign in.'),
    is_synced: Flag('Whether the identity provider keeps the group, so that it is not changed here.'),
  },
  {
    title: 'PersonGroupView',
    description: 'A person group in a list of the console.',
    examples: [{ id: '27', name: 'Finance', members_count: 12, devices_count: 2, is_synced: true }],
  },
)
export type PersonGroupView = Static<typeof PersonGroupView>

export const PersonGroupViewFilter = Type.Object(
  { search: Type.Optional(Text('A part of the name.', { maxLength: 200 })) },
  { title: 'PersonGroupViewFilter', description: 'What narrows the list of groups.', examples: [{ search: 'fin' }] },
)
export type PersonGroupViewFilter = Static<typeof PersonGroupViewFilter>

export const NewDeviceGroup = Type.Object(
  {
    name: Text('Name of the group.', { minLength: 1, maxLength: 200, pattern: '\\S' }),
    description: Type.Optional(Text('What the group is for.', { maxLength: 1_000 })),
  },
  {
    title: 'NewDeviceGroup',
    description: 'A device group to make.',
    examples: [{ name: 'Early adopters', description: 'Gets new checks a week before everyone else.' }],
    additionalProperties: false,
  },
)

export const DeviceGroupChange = Type.Object(
  {
    name: Type.Optional(Text('Name of the group.', { minLength: 1, maxLength: 200, pattern: '\\S' })),
    description: Type.Optional(Nullable(Text('What the group is for; null for nothing.', { maxLength: 1_000 }))),
  },
  {
    title: 'DeviceGroupChange',
    description: 'What a device group is called from now on; what is left out stays.',
    examples: [{ name: 'First to try' }],
    additionalProperties: false,
  },
)

/** Where a device group is named. */
export const DeviceGroupUses = Type.Object(
  {
    checks: Type.Array(
      Type.Object(
        {
          id: Identifier('Identifier of the check.'),
          name: Text('Name of the check.'),
          is_targeted: Flag('Whether the check is for the devices of the group.'),
          is_excluded: Flag('Whether the check leaves the devices of the group out.'),
          is_blocked: Flag('Whether the check blocks the devices of the group.'),
          is_spared: Flag('Whether the check never blocks the devices of the group.'),
        },
        { description: 'A check whose configuration names the group.' },
      ),
      { description: 'The checks whose configuration names the group; at most 100.' },
    ),
  },
  {
    title: 'DeviceGroupUses',
    description: 'Where a device group is named; while it is, it cannot be deleted.',
    examples: [
      {
        checks: [
          {
            id: '57',
            name: 'FileVault is on',
            is_targeted: true,
            is_excluded: false,
            is_blocked: false,
            is_spared: false,
          },
        ],
      },
    ],
  },
)
export type DeviceGroupUses = Static<typeof DeviceGroupUses>

const people = { minItems: 1, maxItems: 1_000, description: 'The people; either all of them or none.' }

export const PersonGroupMembers = Type.Object(
  { person_ids: Type.Array(IdentifierInput('Identifier of a person.'), people) },
  {
    title: 'PersonGroupMembers',
    description: 'People to add to a group or to take out of it.',
    examples: [{ person_ids: ['311'] }],
    additionalProperties: false,
  },
)
