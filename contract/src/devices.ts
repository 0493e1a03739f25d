import Type, { type Static } from 'typebox'
import { DeviceAuthenticationMode } from './device-authentication-modes.ts'
import { Choice, Identifier, IdentifierInput, Link, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import {
  choiceField,
  emailField,
  hardwareField,
  identifierField,
  nullableTextField,
  nullableTimeField,
  textField,
} from './search-fields.ts'

const authStates = ['Will Block', 'Blocked', 'Notified', 'Good'] as const
export type AuthState = (typeof authStates)[number]

const deviceTypes = ['Mac', 'Linux', 'Windows', 'iOS', 'Android'] as const
export type DeviceType = (typeof deviceTypes)[number]

const formFactors = ['computer', 'tablet', 'phone'] as const

/** What agents report about their device again and again, and what is therefore kept current. */
export const reportedFields = ['name', 'operating_system', 'hardware_model', 'agent_version'] as const

export const Device = Type.Object(
  {
    id: Identifier('Identifier of the device.'),
    name: Text('Name of the device.'),
    registered_at: Nullable(Timestamp('When its owner registered the device; null when it is unregistered.')),
    last_authenticated_at: Nullable(Timestamp('When someone last signed in with the device; null if never.')),
    last_seen_at: Nullable(Timestamp('When the device last spoke to the service after it enrolled; null if never.')),
    registered_owner_info: Link('The person the device is registered to.'),
    operating_system: Nullable(
      Text('Name and version of the operating system; null until the device has reported it.'),
    ),
    hardware_model: Nullable(Text('Model of the hardware; null until the device has reported it.')),
    serial: Nullable(Text('Serial number of the hardware; null where it has none.')),
    hardware_uuid: Nullable(Text('Unique identifier of the hardware; null where it has none.')),
    note: Nullable(Text('What administrators wrote about the device; null when they wrote nothing.')),
    auth_state: Choice(authStates, 'What the open issues of the device mean for signing in with it.'),
    will_block_at: Nullable(
      Timestamp('When the device will be blocked if nothing changes; null unless it will block.'),
    ),
    product_image_url: Nullable(Text('Address of a picture of the model; null when there is none.', { format: 'uri' })),
    auth_configuration: Nullable(DeviceAuthenticationMode, {
      description: 'Who may sign in with the device; null when it is unregistered.',
    }),
    device_type: Choice(deviceTypes, 'The platform of the device.'),
    form_factor: Choice(formFactors, 'Whether the device is a computer, a tablet or a phone.'),
    registration_suspended_at: Nullable(
      Timestamp(
        'Since when the registration is suspended, because an agent enrolled as the device that may not be its own; null when it is not. Nobody signs in with the device then, and its state gets no better, until its owner or an administrator confirms the registration.',
      ),
    ),
    agent_version: Nullable(Text('Version of the agent on the device; null until the device has reported it.')),
    enrolled_at: Nullable(Timestamp('When an agent last enrolled as the device; null if none has.')),
    identity_conflict_since: Nullable(
      Timestamp('Since when two agents enroll as the device, as cloned machines do; null when none do.'),
    ),
  },
  {
    title: 'Device',
    description: 'A computer, tablet or phone that people sign in with.',
    examples: [
      {
        id: '1042',
        name: "Tomas's MacBook Pro",
        registered_at: '2026-03-02T10:11:12.000Z',
        last_authenticated_at: '2026-11-20T07:58:41.207Z',
        last_seen_at: '2026-11-20T09:13:55.018Z',
        registered_owner_info: { identifier: '311', link: 'https://muster.example.com/people/311' },
        operating_system: 'macOS 26.1',
        hardware_model: 'MacBook Pro (14-inch, 2025)',
        serial: 'C02XL0GTJGH5',
        hardware_uuid: '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10',
        note: null,
        auth_state: 'Will Block',
        will_block_at: '2026-11-24T09:00:00.000Z',
        product_image_url: null,
        auth_configuration: {
          device_id: '1042',
          authentication_mode: 'only_registered_owner_or_group_members',
          person_groups: [{ id: '27', name: 'Finance' }],
        },
        device_type: 'Mac',
        form_factor: 'computer',
        registration_suspended_at: null,
        agent_version: '5.19.0',
        enrolled_at: '2026-03-02T09:58:40.000Z',
        identity_conflict_since: null,
      },
    ],
  },
)
export type Device = Static<typeof Device>

export const deviceSearch = {
  id: identifierField,
  name: textField,
  registered_at: nullableTimeField,
  last_authenticated_at: nullableTimeField,
  serial: hardwareField,
  note: nullableTextField,
  hardware_uuid: hardwareField,
  registered_owner: { ...emailField, nullable: true },
  device_type: choiceField(deviceTypes),
  auth_state: choiceField(authStates),
  will_block_at: nullableTimeField,
  registration_suspended_at: nullableTimeField,
  identity_conflict_since: nullableTimeField,
} as const satisfies SearchFields

export const DeviceRegistration = Type.Object(
  {
    device_id: Identifier('The registered device.'),
    registered_at: Timestamp('When the device was registered.'),
    registered_owner_info: Link('The owner of the device.'),
    device_info: Link('The registered device.'),
  },
  {
    title: 'DeviceRegistration',
    description: 'That a device belongs to a person.',
    examples: [
      {
        device_id: '1042',
        registered_at: '2026-03-02T10:11:12.000Z',
        registered_owner_info: { identifier: '311', link: 'https://muster.example.com/people/311' },
        device_info: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
      },
    ],
  },
)
export type DeviceRegistration = Static<typeof DeviceRegistration>

export const DeviceRegistrationRequest = Type.Object(
  {
    person_id: Type.Optional(IdentifierInput('The person who becomes the owner.')),
    person_email: Type.Optional(Text('E-mail address of the person who becomes the owner.')),
  },
  {
    title: 'DeviceRegistrationRequest',
    description: 'The owner of a device, by exactly one of `person_id` and `person_email`.',
    examples: [{ person_email: 'tomas@acme.example' }],
  },
)
export type DeviceRegistrationRequest = Static<typeof DeviceRegistrationRequest>
