import Type, { type Static } from 'typebox'
import { CheckConfigurationRequest } from './check-configurations.ts'
import { Choice, Count, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

const states = ['good', 'notified', 'will_block', 'blocked'] as const
const state = (description: string) => Choice(states, description)

const beginsBlockingOn = Type.Optional(
  Nullable(Timestamp('Before this moment the check blocks nobody; null: no such moment; left out: as it is.')),
)

export const ConfigurationPreviewRequest = Type.Object(
  {
    change: CheckConfigurationRequest,
    begins_blocking_on: beginsBlockingOn,
    most: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000, description: 'How many devices each list holds at most; 50.' }),
    ),
  },
  { description: 'A configuration that is not saved yet.' },
)

export const ConfigurationSave = Type.Object(
  {
    change: CheckConfigurationRequest,
    begins_blocking_on: beginsBlockingOn,
    preview: Text('The token of the preview that was seen.', { maxLength: 200 }),
  },
  { description: 'A configuration whose preview was seen.' },
)

const deviceNames = {
  device_id: Identifier('Identifier of the device.'),
  device_name: Text('Name of the device.'),
  owner_name: Nullable(Text('Name of its owner; null when it is unregistered.')),
}

const effect = (strategy: string) =>
  Type.Object(
    {
      notified: Count('Devices whose owners are told of the failure.'),
      blocked_now: Count('Devices that the check blocks at once.'),
      blocked_at_end: Count('Devices that the check blocks by the end of the grace period.'),
      ends_at: Timestamp('The end of the grace period.'),
    },
    { description: `What ${strategy} would do with the same settings besides.` },
  )

const sparedReasons = ['exempted', 'excluded_group', 'outside_groups', 'unregistered', 'snoozed'] as const
const undecidedReasons = ['unknown', 'errored', 'pending', 'stale', 'new_target'] as const

const spared = {
  reason: Choice(sparedReasons, 'Why it is not blocked by the end.'),
  group_name: Nullable(Text('The group or platform that is never blocked; null for other reasons.')),
}
const undecided = { reason: Choice(undecidedReasons, 'Why nothing is known of it.') }

export const ConfigurationPreview = Type.Object(
  {
    computed_at: Timestamp('The moment that the preview is of.'),
    ends_at: Timestamp('The end of the grace period, if the configuration were saved now.'),
    token: Text('To be sent when saving.'),
    changed: Type.Array(Type.String(), { description: 'The members that differ from what is saved.' }),
    all_devices: Count('Devices of the organization.'),
    blocked_now: Count('Devices that the check blocks at once.'),
    blocked_at_end: Count('Devices that the check blocks by the end of the grace period, unless they are mended.'),
    released: Count('Devices that are blocked today and no more after saving.'),
    joined: Count('Devices that the check comes to run on.'),
    left: Count('Devices that the check no longer runs on; its issues there are resolved.'),
    moves: Type.Object(
      {
        good: Count('Good.'),
        notified: Count('Notified.'),
        will_block: Count('Will Block.'),
        blocked: Count('Blocked.'),
      },
      { description: 'How many devices get each state by saving.' },
    ),
    people: Count('Owners of the devices that are blocked by the end.'),
    people_on_only_device: Count('Owners among them who have no other device.'),
    effects: Type.Object(
      {
        report_only: effect('reporting only'),
        notify_only: effect('notifying only'),
        warn_then_block: effect('warning first'),
        block_immediately: effect('blocking immediately'),
      },
      { description: 'What each strategy would do.' },
    ),
    blocked: Type.Array(
      Type.Object({
        ...deviceNames,
        today: state('Its state today.'),
        will_block_at: Nullable(Timestamp('When it will be blocked as things are today; null unless it will.')),
        after_saving: state('Its state right after saving.'),
        at_end: state('Its state at the end of the grace period.'),
        blocks_at: Timestamp('When the check blocks it.'),
        is_only_device: Flag('Whether its owner has no other device.'),
      }),
      { description: 'Devices that the check blocks by the end.' },
    ),
    spared: Type.Array(Type.Object({ ...deviceNames, ...spared }), { description: 'Devices that fail unblocked.' }),
    spared_by: Type.Array(Type.Object({ ...spared, count: Count('How many.') }), {
      description: 'How many devices are spared for each reason.',
    }),
    undecided: Type.Array(Type.Object({ ...deviceNames, ...undecided }), {
      description: 'Registered devices of which it is not known whether they fail.',
    }),
    undecided_by: Type.Array(Type.Object({ ...undecided, count: Count('How many.') }), {
      description: 'How many devices are undecided for each reason.',
    }),
  },
  { description: 'What saving a configuration would do.' },
)
export type ConfigurationPreview = Static<typeof ConfigurationPreview>
