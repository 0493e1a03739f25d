import Type, { type Static } from 'typebox'
import { Choice, Identifier, IdentifierInput, JsonText, Nullable, Text } from './schema-kit.ts'

/** The values of `KOLIDE_CHECK_STATUS`, in each row of any check's answer. */
export const checkStatuses = ['FAIL', 'PASS', 'UNKNOWN', 'INAPPLICABLE', 'ERROR'] as const
export type CheckStatus = (typeof checkStatuses)[number]

const row = Type.Object({}, { additionalProperties: true })

export const ExternalCheckRunRequest = Type.Object(
  {
    device_id: Type.Optional(IdentifierInput('The device that the result is about.')),
    person_id: Type.Optional(IdentifierInput('The person whose registered devices the result is about.')),
    person_email: Type.Optional(Text('E-mail address of the person whose registered devices the result is about.')),
    check_data: Type.Union([Type.String(), row, Type.Array(row)], {
      description: 'One row or an array of rows, or JSON text of either; each row has a `KOLIDE_CHECK_STATUS`.',
    }),
  },
  {
    title: 'ExternalCheckRunRequest',
    description: 'A result of an external check, for exactly one of `device_id`, `person_id` and `person_email`.',
    examples: [{ device_id: '1042', check_data: { vendor: 'Acme MDM', enrolled: true, KOLIDE_CHECK_STATUS: 'PASS' } }],
  },
)
export type ExternalCheckRunRequest = Static<typeof ExternalCheckRunRequest>

export const ExternalCheckRun = Type.Object(
  {
    check_id: Identifier('The check that the result belongs to.'),
    device_id: Nullable(Identifier('The device that the result is about; null when it is about a person.')),
    status: Choice(checkStatuses, 'What the rows say together.'),
    check_data: JsonText('The rows as they were sent, as JSON text.'),
    person_id: Nullable(Identifier('The person that the result is about; null when it is about a device.')),
    person_name: Nullable(Text('Name of that person; null when the result is about a device.')),
    person_email: Nullable(Text('E-mail address of that person; null when the result is about a device.')),
  },
  {
    title: 'ExternalCheckRun',
    description: 'A result that was reported from outside.',
    examples: [
      {
        check_id: '203',
        device_id: '1042',
        status: 'PASS',
        check_data: '{"vendor":"Acme MDM","enrolled":true,"KOLIDE_CHECK_STATUS":"PASS"}',
        person_id: null,
        person_name: null,
        person_email: null,
      },
    ],
  },
)
export type ExternalCheckRun = Static<typeof ExternalCheckRun>
