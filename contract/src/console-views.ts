import Type, { type Static } from 'typebox'
import { resultCounts, resultCountsExample } from './check-counts.ts'
import { companionStandings, deviceSorts } from './console-values.ts'
import { authenticationModes } from './device-authentication-modes.ts'
import { Choice, Count, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'

/** How a device stands: its state, unless nothing is known of it now. */
const standings = ['blocked', 'will_block', 'notified', 'good', 'stale', 'never'] as const
const deviceTypes = ['Mac', 'Linux', 'Windows', 'iOS', 'Android'] as const

/** Why it is in doubt whether an agent is the device that it says it is. */
const identityDoubts = ['suspended', 'conflict'] as const
const identityDoubt = () =>
  Choice(
    identityDoubts,
    '`suspended`: its registration waits to be confirmed; `conflict`: two agents enroll as the device in turn.',
  )

const owner = () =>
  Nullable(
    Type.Object(
      { id: Identifier('Identifier of the person.'), name: Text('Name of the person.') },
      { description: 'Whom the device is registered to; null when it is unregistered.' },
    ),
  )

const standing = () =>
  Choice(standings, 'State of the device; `stale` when it has been silent for 7 days, `never` when it never spoke.')

/** A row of the list of devices. */
export const DeviceView = Type.Object(
  {
    id: Identifier('Identifier of the device.'),
    name: Text('Name of the device.'),
    device_type: Choice(deviceTypes, 'The platform of the device.'),
    standing: standing(),
    will_block_at: Nullable(Timestamp('When the device will be blocked; null unless it will block.')),
    blocked_since: Nullable(Timestamp('Since when the device is blocked; null unless it is.')),
    identity_doubts: Type.Array(identityDoubt(), {
      description: 'What puts its identity in doubt now; mostly nothing.',
    }),
    owner: owner(),
    operating_system: Nullable(Text('Name and version of the operating system.')),
    serial: Nullable(Text('Serial number of the hardware.')),
    open_issues: Nullable(Count('How many issues of the device are open; null as of a day that is over.')),
    last_seen_at: Nullable(
      Timestamp(
        'When the device last spoke to the service after it enrolled; null if never, and as of a day that is over.',
      ),
    ),
    deleted_at: Nullable(
      Timestamp('When the device was deleted; only among the devices of a day that is over, null unless it was.'),
    ),
  },
  {
    title: 'DeviceView',
    description: 'A device in a list of the console.',
    examples: [
      {
        id: '1042',
        name: 'ana-ruiz-mbp14',
        device_type: 'Mac',
        standing: 'will_block',
        will_block_at: '2026-11-24T09:00:00.000Z',
        blocked_since: null,
        identity_doubts: [],
        owner: { id: '311', name: 'Ana Ruiz' },
        operating_system: 'macOS 26.1',
        serial: 'C02XL0GTJGH5',
        open_issues: 3,
        last_seen_at: '2026-11-20T09:13:55.018Z',
        deleted_at: null,
      },
    ],
  },
)
export type DeviceView = Static<typeof DeviceView>

const dayPattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'

/** What narrows the list of devices; several standings or platforms are joined by commas. */
export const DeviceViewFilter = Type.Object(
  {
    standing: Type.Optional(
      Text('Standings, joined by commas.', { pattern: `^(${standings.join('|')})(,(${standings.join('|')}))*$` }),
    ),
    platform: Type.Optional(
      Text('Platforms, joined by commas.', { pattern: `^(${deviceTypes.join('|')})(,(${deviceTypes.join('|')}))*$` }),
    ),
    owner: Type.Optional(Choice(['registered', 'none'], 'Whether someone owns the device.')),
    within: Type.Optional(
      Choice(['24h'], 'Only devices that will be blocked within that time; not as of a day that is over.'),
    ),
    owner_id: Type.Optional(Text('Identifier of the owner.', { pattern: '^[0-9]{1,18}$' })),
    mode: Type.Optional(Choice(authenticationModes, 'Who may sign in with the device, which someone owns.')),
    group_id: Type.Optional(Text('Identifier of a device group.', { pattern: '^[0-9]{1,18}$' })),
    identity: Type.Optional(identityDoubt()),
    companion: Type.Optional(
      Choice(
        companionStandings,
        'Whether a companion is linked to the device, waits for its link, or is not there, or its key was seen twice.',
      ),
    ),
    search: Type.Optional(
      Text('A part of the name, serial number, note, or name or e-mail address of the owner.', { maxLength: 200 }),
    ),
    as_of: Type.Optional(
      Text('A day in UTC that is over: the devices of its figures, each as it stood then.', { pattern: dayPattern }),
    ),
  },
  {
    title: 'DeviceViewFilter',
    description: 'What narrows the list of devices.',
    examples: [{ standing: 'blocked,will_block', platform: 'Mac', search: 'ana' }],
  },
)
export type DeviceViewFilter = Static<typeof DeviceViewFilter>

export const DeviceViewListing = Type.Object(
  {
    ...DeviceViewFilter.properties,
    sort: Type.Optional(
      Choice(
        deviceSorts,
        'The order; what is to be done first at the top if it is left out. As of a day, by name alone.',
      ),
    ),
  },
  {
    title: 'DeviceViewListing',
    description: 'What narrows the list of devices, and its order.',
    examples: [{ platform: 'Mac', sort: '-last_seen_at' }],
  },
)
export type DeviceViewListing = Static<typeof DeviceViewListing>

const strategies = ['report_only', 'notify_only', 'warn_then_block', 'block_immediately'] as const

const NextToBlock = Type.Object(
  {
    device_id: Identifier('Identifier of the device.'),
    device_name: Text('Name of the device.'),
    owner_name: Nullable(Text('Name of the owner; null when the device is unregistered.')),
    standing: standing(),
    blocks_at: Nullable(Timestamp('When the device was or will be blocked.')),
    issue_id: Nullable(Identifier('The issue that blocks it, or will.')),
    issue_title: Nullable(Text('What blocks it.')),
  },
  { description: 'A device that is blocked or will be.' },
)

const standingCounts = () =>
  Object.fromEntries(standings.map((name) => [name, Count(`Devices that are \`${name}\`.`)])) as Record<
    (typeof standings)[number],
    ReturnType<typeof Count>
  >

const ComplianceDay = Type.Object(
  { day: Text('The day in UTC, as 2026-11-20.'), ...standingCounts() },
  { description: 'How many devices stood how at the end of a day.' },
)

export const DayQuery = Type.Object(
  { as_of: Text('A day in UTC that is over.', { pattern: dayPattern }) },
  { title: 'DayQuery', description: 'A day.', examples: [{ as_of: '2026-11-19' }] },
)
export type DayQuery = Static<typeof DayQuery>

/** What is known of a day that is over. */
export const DayStandings = Type.Object(
  {
    day: Text('The day in UTC, as 2026-11-20.'),
    standings: Nullable(
      Type.Object(standingCounts(), {
        description: 'How many devices stood how at its end; null when nothing is known of it.',
      }),
    ),
    unlisted: Count('How many of these devices cannot be listed: they are gone for good, or it was not noted yet.'),
  },
  {
    title: 'DayStandings',
    description: 'How devices stood on a day.',
    examples: [
      {
        day: '2026-11-19',
        standings: { blocked: 10, will_block: 26, notified: 38, good: 419, stale: 14, never: 3 },
        unlisted: 2,
      },
    ],
  },
)
export type DayStandings = Static<typeof DayStandings>

const CheckChange = Type.Object(
  {
    audit_log_id: Identifier('The entry of the audit log that tells of it.'),
    check_id: Nullable(Identifier('The check; null where an older entry does not note it.')),
    check_name: Text('What the check was called then.'),
    timestamp: Timestamp('When it was changed.'),
    description: Text('What was changed, as the audit log has it.'),
  },
  { description: 'A change of a check that may move devices from one state to another.' },
)

const DayOfChanges = Type.Object(
  {
    day: Text('The day in UTC, as 2026-11-20.'),
    changes: Type.Array(CheckChange, {
      description: 'Changes of checks first, then added and deleted ones; at most 3.',
    }),
    more: Count('How many more there were that day.'),
  },
  { description: 'What was changed about checks on a day.' },
)

const FailingCheck = Type.Object(
  {
    check_id: Identifier('Identifier of the check.'),
    check_name: Text('Name of the check.'),
    strategy: Choice(strategies, 'What a failure leads to.'),
    is_paused: Flag('Whether the check does not run.'),
    ...resultCounts,
    failing_a_week_ago: Nullable(
      Count('How many devices failed it at the end of the day a week ago; null if unknown.'),
    ),
  },
  { description: 'A check that devices fail.' },
)

const ManyRegistrations = Type.Object(
  {
    person_id: Identifier('Identifier of the person.'),
    person_name: Text('Name of the person.'),
    devices: Count('How many devices they registered within the hour that ends with the last one.'),
    last_registered_at: Timestamp('When they registered the last one.'),
  },
  {
    description:
      'A person who registered five devices or more within an hour, with an enrollment secret issued for them or at a sign-in.',
  },
)

/** What the dashboard shows. */
export const ConsoleSummary = Type.Object(
  {
    standings: Type.Object(standingCounts(), {
      description: 'How many devices stand how; together all of them.',
    }),
    days: Type.Array(ComplianceDay, {
      description: 'The 30 days before today, oldest first; a day that is not known is absent.',
    }),
    changes: Type.Array(DayOfChanges, {
      description: 'Days on which checks were changed, of the last 30 with today, oldest first.',
    }),
    blocking_within_24h: Count('How many devices will be blocked within 24 hours.'),
    late: Count('How many devices were last heard of more than an hour ago, and less than 7 days.'),
    waiting_requests: Count('How many requests wait for a decision.'),
    only_reporting: Nullable(
      Type.Object(
        {
          checks: Count('How many checks are enabled.'),
          devices_with_issues: Count('How many devices have an open issue.'),
        },
        { description: 'What enabled checks find while all of them only report.' },
      ),
      { description: 'What checks find while all enabled ones only report; null once one does more.' },
    ),
    next_to_block: Type.Array(NextToBlock, {
      description:
        'Devices that were blocked last, latest first, then those that will be soonest; at most 6, and of neither more than 3 unless there are fewer of the other.',
    }),
    failing_checks: Type.Array(FailingCheck, { description: 'The checks that most devices fail; at most 7.' }),
    many_registrations: Type.Array(ManyRegistrations, {
      description: 'Who registered many devices within the last 24 hours, the latest first; at most 10.',
    }),
  },
  {
    title: 'ConsoleSummary',
    description: 'What the dashboard shows.',
    examples: [
      {
        standings: { blocked: 9, will_block: 27, notified: 38, good: 421, stale: 14, never: 3 },
        days: [{ day: '2026-11-19', blocked: 10, will_block: 26, notified: 38, good: 419, stale: 14, never: 3 }],
        changes: [
          {
            day: '2026-11-19',
            changes: [
              {
                audit_log_id: '90211',
                check_id: '57',
                check_name: 'FileVault is on',
                timestamp: '2026-11-19T14:02:11.000Z',
                description:
                  'Updated the configuration of the check "FileVault is on": strategy changed from "Notify only" to "Warn, then block".',
              },
            ],
            more: 0,
          },
        ],
        blocking_within_24h: 6,
        late: 8,
        waiting_requests: 5,
        only_reporting: null,
        next_to_block: [
          {
            device_id: '733',
            device_name: 'HALDEN-FIN-022',
            owner_name: 'Jonas Lindqvist',
            standing: 'blocked',
            blocks_at: '2026-11-20T18:36:20.000Z',
            issue_id: '7719',
            issue_title: 'A fixed drive is not encrypted',
          },
        ],
        failing_checks: [
          {
            check_id: '57',
            check_name: 'Screen locks quickly after sleep',
            strategy: 'notify_only',
            is_paused: false,
            ...resultCountsExample,
            failing_a_week_ago: 5,
          },
        ],
        many_registrations: [
          {
            person_id: '204',
            person_name: 'Ada Lovelace',
            devices: 10,
            last_registered_at: '2026-11-20T18:36:20.000Z',
          },
        ],
      },
    ],
  },
)
export type ConsoleSummary = Static<typeof ConsoleSummary>

/** What an organization sets up on its first day; the console lists what is left. */
export const FirstSteps = Type.Object(
  {
    has_devices: Flag('Whether a device has enrolled.'),
    has_second_factor: Flag('Whether the administrator who asks signs in with a second factor.'),
    has_provisioning: Flag('Whether an identity provider has sent a SCIM request.'),
    connecting: Choice(
      ['works', 'failing_stream', 'failing_webhook', 'unused', 'not_enforcing', 'nothing'],
      'Whether what is connected has worked within a week: someone signed in through a connection that enforces, or a stream or webhook that hears of blocks received something. Else what is missing: it fails, nothing came through, no connection enforces, or there is none.',
    ),
    reporting_checks: Count('How many enabled checks only report.'),
    enforced_checks: Count('How many enabled checks notify or block.'),
  },
  {
    title: 'FirstSteps',
    description: 'What is set up.',
    examples: [
      {
        has_devices: true,
        has_second_factor: false,
        has_provisioning: false,
        connecting: 'nothing',
        reporting_checks: 31,
        enforced_checks: 0,
      },
    ],
  },
)
export type FirstSteps = Static<typeof FirstSteps>
