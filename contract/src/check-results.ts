import Type, { type Static } from 'typebox'
import { Choice, Identifier, Nullable, Row, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, nullableTimeField, textField } from './search-fields.ts'

const checkResultStatuses = [
  'unknown',
  'passing',
  'failing',
  'errored',
  'inapplicable',
  'stale',
  'pending',
  'out_of_scope',
] as const

export const CheckResult = Type.Object(
  {
    check_id: Identifier('The check that ran.'),
    check_slug: Text('Short name of the check, fit for programs.'),
    check_name: Text('Name of the check.'),
    device_id: Identifier('The device that the check ran on.'),
    device_display_name: Text('Name of the device.'),
    ran_at: Nullable(Timestamp('When the check last ran on the device; null if it never did.')),
    exemption_reason: Nullable(Text('Why the check is exempted on the device; null when it is not.')),
    exemption_expires_at: Nullable(Timestamp('When the exemption ends; null when there is none or it has no end.')),
    check_result_data: Type.Array(Row('One row, every value as text.'), {
      description: 'The rows of the last run; empty if there was none.',
    }),
    status: Choice(checkResultStatuses, 'What the last run means for the device.'),
  },
  {
    title: 'CheckResult',
    description: 'The last answer of a check on one device.',
    examples: [
      {
        check_id: '57',
        check_slug: 'macos-disk-encryption',
        check_name: 'FileVault is on',
        device_id: '1042',
        device_display_name: "Tomas's MacBook Pro",
        ran_at: '2026-11-20T08:41:12.633Z',
        exemption_reason: null,
        exemption_expires_at: null,
        check_result_data: [{ volumes: '2', protected_volumes: '0', KOLIDE_CHECK_STATUS: 'FAIL' }],
        status: 'failing',
      },
    ],
  },
)
export type CheckResult = Static<typeof CheckResult>

export const checkResultSearch = {
  device_display_name: textField,
  ran_at: nullableTimeField,
  check_name: textField,
  status: choiceField(checkResultStatuses),
} as const satisfies SearchFields
