import Type, { type Static } from 'typebox'
import { maxUnregisteredAtOnce } from './console-values.ts'
import { DeviceViewFilter } from './console-views.ts'
import { Count, Identifier, IdentifierInput, Nullable, Text } from './schema-kit.ts'

const maxNamed = 5_000

const ids = (description: string, maxItems: number) =>
  Type.Array(IdentifierInput('Identifier of a device.'), { maxItems, description })

export const UnregistrationPreviewRequest = Type.Object(
  {
    device_ids: Type.Optional(ids('Only these devices; left out: all that the filter finds.', maxNamed)),
    filter: Type.Optional(
      Type.Object(DeviceViewFilter.properties, {
        description: 'The filter of the list of devices, as its address has it.',
        additionalProperties: false,
      }),
    ),
    except_ids: Type.Optional(ids('Devices that the filter finds and that are not meant.', maxNamed)),
  },
  {
    title: 'UnregistrationPreviewRequest',
    description: 'Devices whose registration is to end: some by name, or all that a filter finds but some.',
    examples: [{ filter: { platform: 'Mac' }, except_ids: ['1042'] }],
    additionalProperties: false,
  },
)
export type UnregistrationPreviewRequest = Static<typeof UnregistrationPreviewRequest>

export const UnregistrationPreview = Type.Object(
  {
    devices_count: Count('How many devices are meant.'),
    registered_count: Count('How many of them someone owns; only these are unregistered.'),
    deleted_count: Count('How many of those are phones or tablets, which are deleted with their registration.'),
    owners_count: Count('How many people own them.'),
    owner_names: Type.Array(Text('Name of an owner.'), { description: 'Owners by name; at most 3.' }),
    ownerless_count: Count('How many of those people have no other device.'),
    all_devices_count: Count('How many devices the organization has.'),
  },
  {
    title: 'UnregistrationPreview',
    description: 'Whom it hits when these registrations end.',
    examples: [
      {
        devices_count: 3,
        registered_count: 2,
        deleted_count: 0,
        owners_count: 2,
        owner_names: ['Ana Ruiz', 'Tomás Ferreira'],
        ownerless_count: 1,
        all_devices_count: 512,
      },
    ],
  },
)
export type UnregistrationPreview = Static<typeof UnregistrationPreview>

export const UnregistrationRequest = Type.Object(
  {
    device_ids: Type.Array(IdentifierInput('Identifier of a device.'), {
      minItems: 1,
      maxItems: maxUnregisteredAtOnce,
      description: 'The devices.',
    }),
  },
  {
    title: 'UnregistrationRequest',
    description: 'Devices whose registration ends.',
    examples: [{ device_ids: ['1042', '1043'] }],
    additionalProperties: false,
  },
)

export const Unregistrations = Type.Object(
  {
    unregistered_count: Count('How many registrations have ended.'),
    refused: Type.Array(
      Type.Object(
        {
          device_id: Identifier('Identifier of the device.'),
          device_name: Nullable(Text('Name of the device; null when there is none anymore.')),
          reason: Text('Why it was refused.'),
        },
        { description: 'A registration that has not ended.' },
      ),
      { description: 'What was refused, in the order that was asked for.' },
    ),
  },
  {
    title: 'Unregistrations',
    description: 'What became of each registration.',
    examples: [
      {
        unregistered_count: 1,
        refused: [{ device_id: '1043', device_name: 'lab-bench-3', reason: 'The device is not registered to anyone.' }],
      },
    ],
  },
)
export type Unregistrations = Static<typeof Unregistrations>
