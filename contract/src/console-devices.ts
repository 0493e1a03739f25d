import Type, { type Static } from 'typebox'
import { remediationStrategies } from './check-configurations.ts'
import { maxRefreshedAtOnce } from './console-values.ts'
import { reportedFields } from './devices.ts'
import { Choice, Count, Identifier, IdentifierInput, Nullable, Text, Timestamp } from './schema-kit.ts'

const states = ['blocked', 'will_block', 'notified', 'good'] as const

export const DeviceDescription = Type.Object(
  {
    name: Type.Optional(Text('The new name of the device.', { minLength: 1, maxLength: 200, pattern: '\\S' })),
    note: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }), { description: 'The note; null takes it away.' })),
  },
  {
    title: 'DeviceDescription',
    description: 'Another name or note of a device; what is left out stays.',
    examples: [{ note: 'Lent to the lab until March' }],
    additionalProperties: false,
  },
)

/** A line of the history of a device. */
export const DeviceHistoryEntry = Type.Object(
  {
    id: Identifier('Identifier of the line.'),
    occurred_at: Timestamp('When it happened.'),
    kind: Choice(
      ['state', 'registered', 'enrolled', 'updated'],
      'Whether the state changed, or the device was registered, or reports something else about itself.',
    ),
    from: Nullable(Choice(states, 'The state before; null unless the state changed.')),
    to: Nullable(Choice(states, 'The state after; null unless the state changed.')),
    initiator: Nullable(Choice(['policy', 'admin', 'user', 'system'], 'Who set it in motion.')),
    reasons: Type.Array(
      Type.Object(
        {
          what: Choice(['new', 'resolved'], 'Whether the issue was found or resolved with it.'),
          issue_id: Identifier('Identifier of the issue.'),
          title: Text('What is or was wrong.'),
        },
        { description: 'An issue that changed in the same moment.' },
      ),
      { description: 'Issues that changed with it; at most 5.' },
    ),
    entries: Type.Array(
      Type.Object(
        {
          id: Identifier('Identifier of the entry.'),
          description: Text('What was done, in a sentence.'),
          actor_name: Text('Who did it.'),
          strategy: Nullable(
            Choice(remediationStrategies, 'The strategy that it gave the check; null where it did not change that.'),
          ),
        },
        { description: 'An entry of the audit log.' },
      ),
      { description: 'What brought the state about, where the audit log has it, the newest first; at most 5.' },
    ),
    check: Nullable(
      Type.Object(
        { id: Identifier('Identifier of the check.'), name: Text('Name of the check.') },
        { description: 'A check.' },
      ),
      { description: 'The check whose change brought the state about, if one did and it is still there.' },
    ),
    changes: Type.Array(
      Type.Object(
        {
          field: Choice(reportedFields, 'What the device reports differently from before.'),
          from: Nullable(Text('What was known before; null where nothing was.')),
          to: Text('What it reports since.'),
        },
        { description: 'Something that the device reports about itself.' },
      ),
      { description: 'What the device reports differently from before; empty unless it was updated.' },
    ),
  },
  {
    title: 'DeviceHistoryEntry',
    description: 'Something that happened to a device within the last 30 days.',
    examples: [
      {
        id: '812',
        occurred_at: '2026-11-14T09:14:00.000Z',
        kind: 'state',
        from: 'good',
        to: 'will_block',
        initiator: 'user',
        reasons: [{ what: 'new', issue_id: '7719', title: 'SSH key without a passphrase' }],
        entries: [],
        check: null,
        changes: [],
      },
    ],
  },
)
export type DeviceHistoryEntry = Static<typeof DeviceHistoryEntry>

export const MovedDevice = Type.Object(
  {
    id: Identifier('Identifier of the change of state.'),
    device_id: Identifier('Identifier of the device.'),
    device_name: Nullable(Text('Name of the device; null where it was deleted.')),
    from: Choice(states, 'The state before.'),
    to: Choice(states, 'The state after.'),
    occurred_at: Timestamp('When it changed.'),
  },
  {
    title: 'MovedDevice',
    description: 'A change of the state of a device that an entry of the audit log has brought about.',
    examples: [
      {
        ...{ id: '812', device_id: '1042', device_name: 'Ana’s MacBook', from: 'good', to: 'blocked' },
        occurred_at: '2026-11-14T09:14:00.000Z',
      },
    ],
  },
)
export type MovedDevice = Static<typeof MovedDevice>

/** What a device answered, or is to answer, to a live query. */
export const DeviceLiveQuery = Type.Object(
  {
    id: Identifier('Identifier of the live query.'),
    name: Text('Name of the live query.'),
    started_at: Timestamp('When its present revision began.'),
    status: Choice(['waiting', 'successful', 'errored'], 'Whether the device has answered.'),
    row_count: Nullable(Count('How many rows it answered; null before, and where it could not.')),
    error_message: Nullable(Text('Why it has no rows; null unless it errored.')),
  },
  {
    title: 'DeviceLiveQuery',
    description: 'A live query that a device is asked.',
    examples: [
      {
        id: '81',
        name: 'Who listens on port 22',
        started_at: '2026-11-20T09:14:03.120Z',
        status: 'successful',
        row_count: 1,
        error_message: null,
      },
    ],
  },
)
export type DeviceLiveQuery = Static<typeof DeviceLiveQuery>

export const DeviceInventory = Type.Object(
  {
    tables: Type.Array(
      Type.Object(
        {
          name: Text('Name of the reporting table.'),
          row_count: Count('How many rows the device reports.'),
        },
        { description: 'A reporting table.' },
      ),
      { description: 'The tables that the device has reported, by name.' },
    ),
  },
  {
    title: 'DeviceInventory',
    description: 'What the inventory of a device has data of.',
    examples: [{ tables: [{ name: 'device_startup_items', row_count: 14 }] }],
  },
)
export type DeviceInventory = Static<typeof DeviceInventory>

export const DeletedDevice = Type.Object(
  {
    id: Identifier('Identifier of the device.'),
    name: Text('Name of the device.'),
    deleted_at: Timestamp('When the device was deleted.'),
    restorable_until: Timestamp('When it is removed for good.'),
  },
  {
    title: 'DeletedDevice',
    description: 'A device that was deleted and can be restored.',
    examples: [
      {
        id: '1042',
        name: 'ana-ruiz-mbp14',
        deleted_at: '2026-11-20T09:14:03.120Z',
        restorable_until: '2026-11-20T09:16:03.120Z',
      },
    ],
  },
)
export type DeletedDevice = Static<typeof DeletedDevice>

export const FailingChecksRefreshRequest = Type.Object(
  {
    device_ids: Type.Array(IdentifierInput('Identifier of a device.'), {
      minItems: 1,
      maxItems: maxRefreshedAtOnce,
      description: 'The devices; those that are not there any more are passed over.',
    }),
  },
  {
    title: 'FailingChecksRefreshRequest',
    description: 'Devices whose failing checks are to run again.',
    examples: [{ device_ids: ['1042', '1043'] }],
    additionalProperties: false,
  },
)

export const FailingChecksRefresh = Type.Object(
  {
    devices_count: Count('On how many devices checks run again.'),
    checks_count: Count('How many checks run again, counted for each device.'),
  },
  {
    title: 'FailingChecksRefresh',
    description: 'What runs again when the devices next check in.',
    examples: [{ devices_count: 2, checks_count: 5 }],
  },
)
export type FailingChecksRefresh = Static<typeof FailingChecksRefresh>
