import Type, { type Static } from 'typebox'
import { BlockReceivers } from './block-receivers.ts'
import { CheckConfiguration, CheckConfigurationRequest, configurationExample } from './check-configurations.ts'
import { resultCounts, resultCountsExample } from './check-counts.ts'
import { checkSorts } from './console-values.ts'
import { Choice, Count, Flag, Identifier, JsonText, Nullable, Text, Timestamp } from './schema-kit.ts'

const states = ['good', 'notified', 'will_block', 'blocked'] as const
const state = (description: string) => Choice(states, description)

const beginsBlockingOn = Type.Optional(
  Nullable(Timestamp('Before this moment the check blocks nobody; null: no such moment; left out: as it is.')),
)

const changeExample = {
  options: { max_grace_seconds: 60 },
  remediation_strategy: 'warn_then_block',
  block_auth_grace_period_days: 7,
  targeted_groups: ['macos', 12],
  excluded_groups: ['8'],
}

/** A configuration from before, to be looked at and saved again. */
export const ConfigurationAt = Type.Object(
  {
    configuration: CheckConfiguration,
    deleted_groups: Count('Groups that it named and that do not exist anymore; they are left out.'),
  },
  {
    title: 'ConfigurationAt',
    description: 'The configuration of a check as it was after an entry of the audit log.',
    examples: [{ configuration: configurationExample, deleted_groups: 0 }],
  },
)
export type ConfigurationAt = Static<typeof ConfigurationAt>

export const ConfigurationPreviewRequest = Type.Object(
  {
    change: CheckConfigurationRequest,
    begins_blocking_on: beginsBlockingOn,
    most: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000, description: 'How many devices each list holds at most; 50.' }),
    ),
  },
  {
    title: 'ConfigurationPreviewRequest',
    examples: [
      {
        change: changeExample,
      },
    ],
    description: 'A configuration that is not saved yet.',
  },
)

export const ConfigurationSave = Type.Object(
  {
    change: CheckConfigurationRequest,
    begins_blocking_on: beginsBlockingOn,
    preview: Text('The token of the preview that was seen.', { maxLength: 200 }),
  },
  {
    title: 'ConfigurationSave',
    examples: [
      {
        change: changeExample,
        preview: '2f61c0d4',
      },
    ],
    description: 'A configuration whose preview was seen.',
  },
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

const sparedReasons = ['exempted', 'excluded_group', 'outside_groups', 'unregistered', 'snoozed', 'held'] as const
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
    hit: Count('Devices that the check comes to block, or blocks sooner than as it is saved now.'),
    held: Nullable(
      Type.Object(
        {
          devices: Count('Devices that saving would block without notice.'),
          people: Count('Owners of these devices.'),
          limit: Count('The devices of so many people one check may newly block within an hour.'),
          taken_back: Count('Devices that the check blocked within the hour before, and whose blocks are taken back.'),
        },
        { description: 'Blocks that are held until an administrator releases or discards them.' },
      ),
    ),
    released: Count('Devices that are blocked today and no more after saving.'),
    joined: Count('Devices that the check starts to run on.'),
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
    receivers: BlockReceivers,
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
      Type.Object(
        {
          ...deviceNames,
          today: state('Its state today.'),
          will_block_at: Nullable(Timestamp('When it will be blocked as things are today; null unless it will.')),
          after_saving: state('Its state right after saving.'),
          at_end: state('Its state at the end of the grace period.'),
          blocks_at: Timestamp('When the check blocks it.'),
          is_only_device: Flag('Whether its owner has no other device.'),
        },
        { description: 'A device that is blocked.' },
      ),
      { description: 'Devices that the check blocks by the end.' },
    ),
    spared: Type.Array(Type.Object({ ...deviceNames, ...spared }, { description: 'A device that is spared.' }), {
      description: 'Devices that fail unblocked.',
    }),
    spared_by: Type.Array(Type.Object({ ...spared, count: Count('How many.') }, { description: 'A reason.' }), {
      description: 'How many devices are spared for each reason.',
    }),
    undecided: Type.Array(
      Type.Object({ ...deviceNames, ...undecided }, { description: 'A device that is undecided.' }),
      {
        description: 'Registered devices of which it is not known whether they fail.',
      },
    ),
    undecided_by: Type.Array(Type.Object({ ...undecided, count: Count('How many.') }, { description: 'A reason.' }), {
      description: 'How many devices are undecided for each reason.',
    }),
  },
  {
    title: 'ConfigurationPreview',
    examples: [
      {
        computed_at: '2026-11-20T09:00:00.000Z',
        ends_at: '2026-11-20T09:00:00.000Z',
        token: '2f61c0d4',
        changed: ['remediation_strategy'],
        all_devices: 3,
        blocked_now: 3,
        blocked_at_end: 3,
        hit: 3,
        held: null,
        released: 3,
        joined: 3,
        left: 3,
        moves: { good: 3, notified: 3, will_block: 3, blocked: 3 },
        people: 3,
        people_on_only_device: 3,
        receivers: { streams: 2, webhooks: 1, connections: 1, failing: 0 },
        effects: {
          report_only: { notified: 3, blocked_now: 3, blocked_at_end: 3, ends_at: '2026-11-20T09:00:00.000Z' },
          notify_only: { notified: 3, blocked_now: 3, blocked_at_end: 3, ends_at: '2026-11-20T09:00:00.000Z' },
          warn_then_block: { notified: 3, blocked_now: 3, blocked_at_end: 3, ends_at: '2026-11-20T09:00:00.000Z' },
          block_immediately: { notified: 3, blocked_now: 3, blocked_at_end: 3, ends_at: '2026-11-20T09:00:00.000Z' },
        },
        blocked: [
          {
            device_id: '57',
            device_name: 'ana-ruiz-mbp14',
            owner_name: 'Ana Ruiz',
            today: 'good',
            will_block_at: '2026-11-20T09:00:00.000Z',
            after_saving: 'good',
            at_end: 'good',
            blocks_at: '2026-11-20T09:00:00.000Z',
            is_only_device: false,
          },
        ],
        spared: [
          {
            device_id: '57',
            device_name: 'ana-ruiz-mbp14',
            owner_name: 'Ana Ruiz',
            reason: 'exempted',
            group_name: 'macOS',
          },
        ],
        spared_by: [{ reason: 'exempted', group_name: 'macOS', count: 3 }],
        undecided: [{ device_id: '57', device_name: 'ana-ruiz-mbp14', owner_name: 'Ana Ruiz', reason: 'unknown' }],
        undecided_by: [{ reason: 'unknown', count: 3 }],
      },
    ],
    description: 'What saving a configuration would do.',
  },
)
export type ConfigurationPreview = Static<typeof ConfigurationPreview>

/** Blocks of a check that an administrator decides about. */
export const BlockHolds = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          id: Identifier('Identifier of the hold.'),
          check: Type.Object(
            { id: Identifier('Identifier of the check.'), name: Text('Name of the check.') },
            { description: 'The check whose blocks are held.' },
          ),
          began_at: Timestamp('Since when blocks are held.'),
          owner_limit: Nullable(
            Count(
              'The devices of so many people the check might have newly blocked within an hour; null where an upgrade alone is the cause, or blocks were counted by device then.',
            ),
          ),
          query_upgraded_at: Nullable(
            Timestamp('When an upgrade changed the query whose first answers are held; null where none is the cause.'),
          ),
          devices: Count('Devices that it keeps from being blocked now.'),
          people: Count('Owners of these devices.'),
          taken_back: Count('Devices whose blocks of the hour before it took back.'),
          discarded_at: Nullable(Timestamp('When the blocks were discarded; null while nobody has decided.')),
          discarded_by: Nullable(Text('Who discarded them; null while nobody has decided.')),
        },
        { description: 'A hold.' },
      ),
      { description: 'The latest first; of discarded ones those that still keep a device from being blocked.' },
    ),
  },
  {
    title: 'BlockHolds',
    examples: [
      {
        data: [
          {
            id: '7',
            check: { id: '57', name: 'The firewall is on' },
            began_at: '2026-11-20T09:00:00.000Z',
            owner_limit: 35,
            query_upgraded_at: null,
            devices: 212,
            people: 198,
            taken_back: 0,
            discarded_at: null,
            discarded_by: null,
          },
        ],
      },
    ],
    description:
      'Blocks that are held because one check was about to block the devices of many people at once, or because an upgrade changed its query.',
  },
)
export type BlockHolds = Static<typeof BlockHolds>

const strategies = ['report_only', 'notify_only', 'warn_then_block', 'block_immediately'] as const
const platforms = ['darwin', 'windows', 'linux'] as const
const checkKinds = ['catalogue', 'own', 'external'] as const

const tag = Type.Object(
  { id: Identifier('Identifier of the tag.'), name: Text('Name of the tag.') },
  { description: 'A label.' },
)
const tags = Type.Array(tag, { description: 'Labels of the check.' })

const commonFacts = {
  id: Identifier('Identifier of the check.'),
  name: Text('Name of the check.'),
  description: Text('What the check looks at.'),
  platforms: Type.Array(Choice(platforms, 'A platform.'), { description: 'The platforms that the check can run on.' }),
  kind: Choice(checkKinds, 'Of the catalogue, of one’s own, or reported from outside.'),
  strategy: Choice(strategies, 'What happens to a device that fails the check.'),
  is_paused: Flag('Whether the check does not run.'),
  tags,
  ...resultCounts,
}

const checkExample = {
  id: '57',
  name: 'macOS is up to date',
  description: 'Looks at the version of macOS.',
  platforms: ['darwin'],
  kind: 'catalogue',
  strategy: 'report_only',
  is_paused: false,
  tags: [{ id: '4', name: 'Updates' }],
  ...resultCountsExample,
}

/** A row of the list of checks. */
export const CheckView = Type.Object(commonFacts, {
  title: 'CheckView',
  examples: [checkExample],
  description: 'A check, as the list shows it.',
})
export type CheckView = Static<typeof CheckView>

export const CheckViewFilter = Type.Object(
  {
    search: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the name, slug or description.' })),
    platform: Type.Optional(Choice(platforms, 'Runs on this platform.')),
    strategy: Type.Optional(Choice(strategies, 'Has this strategy.')),
    kind: Type.Optional(Choice(checkKinds, 'Is of this kind.')),
    tag: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: 'Has the tag with this identifier.' })),
    state: Type.Optional(
      Choice(
        ['failing', 'undecided', 'passing', 'paused'],
        'Fails somewhere; neither passes nor fails somewhere; passes everywhere; or is paused.',
      ),
    ),
  },
  { title: 'CheckViewFilter', examples: [{ search: 'macos' }], description: 'What narrows the list.' },
)
export type CheckViewFilter = Static<typeof CheckViewFilter>

export const CheckViewListing = Type.Object(
  {
    ...CheckViewFilter.properties,
    sort: Type.Optional(
      Choice(checkSorts, 'The order, by the share of devices that pass or by name; by name if it is left out.'),
    ),
  },
  {
    title: 'CheckViewListing',
    examples: [{ state: 'failing', sort: 'passing' }],
    description: 'What narrows the list, and its order.',
  },
)
export type CheckViewListing = Static<typeof CheckViewListing>

/** The head of the page of a check. */
export const CheckFacts = Type.Object(
  {
    ...commonFacts,
    slug: Text('Short name of the check.'),
    issue_title: Text('Title of its issues.'),
    statuses: Type.Object(
      {
        passing: Count('Passing.'),
        failing: Count('Failing.'),
        unknown: Count('Unknown.'),
        errored: Count('Errored.'),
        inapplicable: Count('Inapplicable.'),
        stale: Count('Stale.'),
        pending: Count('Pending.'),
        out_of_scope: Count('Out of scope.'),
      },
      { description: 'Devices by what the check last said.' },
    ),
    silent: Count(
      'Results among all of these that are of devices which were last heard of more than 7 days ago; they count as the last run left them.',
    ),
    never_reported: Count('Results among all of these that are of devices which never spoke to the service.'),
    open_issues: Count('Issues of the check that are open.'),
    sql_template: Nullable(Text('The query as a template; null for external checks.')),
    sql: Nullable(Text('The query as devices run it; null for external checks.')),
    rationale: Nullable(Text('Why it matters, in Markdown, as owners read it; null where there is none.')),
    fix_instructions: Nullable(Text('How to put a failure right, in Markdown, without the rows of a device.')),
    primary_key_column: Nullable(Text('The column that tells the issues of a device apart.')),
    interval_seconds: Count('How often it runs.'),
    option_definitions: JsonText('What an administrator may set, as JSON text of an object.'),
    privacy_info: Text('What the check reads about people.'),
    recomputing: Flag('Whether devices are still being decided again after a change.'),
    upgrade: Nullable(
      Type.Object(
        {
          query_upgraded_at: Timestamp('When an upgrade of the service changed the query.'),
          newly_failing: Count('Devices that fail since their first answer to it, and did not fail before.'),
          newly_passing: Count('Devices that pass since then, and failed before.'),
          waiting: Count('Devices that have yet to answer it; what they said before counts until then.'),
        },
        { description: 'What a change of the query within the last 30 days did.' },
      ),
    ),
  },
  {
    title: 'CheckFacts',
    examples: [
      {
        ...checkExample,
        slug: 'macos-up-to-date',
        issue_title: 'macOS is out of date',
        statuses: {
          passing: 9,
          failing: 3,
          unknown: 1,
          errored: 0,
          inapplicable: 0,
          stale: 1,
          pending: 2,
          out_of_scope: 7,
        },
        silent: 1,
        never_reported: 0,
        open_issues: 3,
        sql_template: 'SELECT 1',
        sql: 'SELECT 1',
        rationale: 'Updates close known holes.',
        fix_instructions: '1. Open **System Settings**.',
        primary_key_column: 'path',
        interval_seconds: 3_600,
        option_definitions: '{}',
        privacy_info: 'Reads the version of macOS only.',
        recomputing: false,
        upgrade: { query_upgraded_at: '2026-11-20T09:00:00.000Z', newly_failing: 2, newly_passing: 5, waiting: 40 },
      },
    ],
    description: 'A check with what its page shows.',
  },
)
export type CheckFacts = Static<typeof CheckFacts>

export const CheckTags = Type.Object(
  {
    names: Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 100,
      description: 'All tags that the check is to have; those that are new are made.',
    }),
  },
  { title: 'CheckTags', examples: [{ names: ['security'] }], description: 'Tags of a check.' },
)
