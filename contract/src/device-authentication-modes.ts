import Type, { type Static } from 'typebox'
import { PersonGroup } from './groups.ts'
import { Choice, Identifier, IdentifierInput } from './schema-kit.ts'

export const authenticationModes = [
  'only_registered_owner',
  'only_registered_owner_or_group_members',
  'anyone',
] as const
export type AuthenticationMode = (typeof authenticationModes)[number]

const mode = Choice(
  authenticationModes,
  'Whether only the owner, also members of some groups, or anyone may sign in with the device.',
)

export const DeviceAuthenticationMode = Type.Object(
  {
    device_id: Identifier('The device that this is about.'),
    authentication_mode: mode,
    person_groups: Type.Array(PersonGroup, {
      description: 'The groups whose members may sign in beside the owner; empty in the other modes.',
    }),
  },
  {
    title: 'DeviceAuthenticationMode',
    description: 'Who may sign in with a device.',
    examples: [
      {
        device_id: '1042',
        authentication_mode: 'only_registered_owner_or_group_members',
        person_groups: [{ id: '27', name: 'Finance' }],
      },
    ],
  },
)
export type DeviceAuthenticationMode = Static<typeof DeviceAuthenticationMode>

export const DeviceAuthenticationModeRequest = Type.Object(
  {
    authentication_mode: mode,
    person_group_ids: Type.Optional(
      Type.Array(IdentifierInput('Identifier of a person group.'), {
        description:
          'The groups whose members may sign in; ignored unless the mode is `only_registered_owner_or_group_members`.',
      }),
    ),
  },
  {
    title: 'DeviceAuthenticationModeRequest',
    description: 'Who can sign in with a device.',
    examples: [{ authentication_mode: 'only_registered_owner_or_group_members', person_group_ids: ['27', 31] }],
  },
)
export type DeviceAuthenticationModeRequest = Static<typeof DeviceAuthenticationModeRequest>
