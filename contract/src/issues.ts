import Type, { type Static } from 'typebox'
import { Flag, Identifier, Link, Nullable, Row, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import {
  flagField,
  identifierField,
  nullableTextField,
  nullableTimeField,
  textField,
  timeField,
} from './search-fields.ts'

export const Issue = Type.Object(
  {
    id: Identifier('Identifier of the issue.'),
    issue_key: Nullable(
      Text('Name of the column that tells the issues of one check apart; null for single-row checks.'),
    ),
    issue_value: Nullable(Text('Value of that column in this issue; null for single-row checks.')),
    title: Text('What is wrong, in a few words.'),
    value: Row('The row that failed, with `KOLIDE_CHECK_STATUS` among its values.'),
    exempted: Flag('Whether the issue is exempted and so does not block.'),
    resolved_at: Nullable(Timestamp('When the issue was resolved; null while it is open.')),
    detected_at: Timestamp('When the issue was first found.'),
    blocks_device_at: Nullable(Timestamp('When the issue blocks the device, or began to; null when it never will.')),
    device_information: Link('The device that has the issue.'),
    check_information: Link('The check that found the issue.'),
    last_rechecked_at: Nullable(Timestamp('When the check last looked again; null until it has.')),
  },
  {
    title: 'Issue',
    description: 'A failure of a check on a device.',
    examples: [
      {
        id: '7719',
        issue_key: 'path',
        issue_value: '/Users/tomas/.ssh/id_ed25519',
        title: 'Unencrypted SSH key',
        value: { path: '/Users/tomas/.ssh/id_ed25519', encrypted: '0', KOLIDE_CHECK_STATUS: 'FAIL' },
        exempted: false,
        resolved_at: null,
        detected_at: '2026-11-17T09:00:00.000Z',
        blocks_device_at: '2026-11-24T09:00:00.000Z',
        device_information: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
        check_information: { identifier: '57', link: 'https://muster.example.com/checks/57' },
        last_rechecked_at: '2026-11-20T08:41:12.633Z',
      },
    ],
  },
)
export type Issue = Static<typeof Issue>

export const issueSearch = {
  id: identifierField,
  detected_at: timeField,
  resolved_at: nullableTimeField,
  blocks_device_at: nullableTimeField,
  title: textField,
  issue_key: nullableTextField,
  issue_value: nullableTextField,
  exempted: flagField,
  check_id: textField,
  device_id: textField,
  last_rechecked_at: nullableTimeField,
} as const satisfies SearchFields
