import Type, { type Static } from 'typebox'
import { Choice, Identifier, Link, Nullable, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, emailField, nullableTextField, textField, timeField } from './search-fields.ts'

export const authResults = ['Success', 'Fail'] as const

export const initialStatuses = ['all_good', 'will_block', 'blocked', 'unknown'] as const
export type InitialStatus = (typeof initialStatuses)[number]

const blockingStatuses = ['blocked', 'will_block'] as const
export type BlockingStatus = (typeof blockingStatuses)[number]

export const authLogEventTypes = [
  'sign_in_attempt',
  'agent_detection_success',
  'agent_detection_failure',
  'agent_download_request',
  'mobile_agent_detection_success',
  'push_notification_sent',
  'device_registration_request',
  'device_registration_successful',
  'device_registration_blocked',
  'device_blocked',
  'issue_viewed',
  'device_rechecked',
  'issue_snoozed',
  'exemption_requested',
  'sign_in_success',
] as const
export type AuthLogEventType = (typeof authLogEventTypes)[number]

const AuthLogDisplayedIssue = Type.Object(
  {
    title: Text('What was wrong, as it was shown.'),
    blocking_status: Choice(blockingStatuses, 'Whether the issue blocked the device then, or was going to.'),
    id: Identifier('Identifier of the issue.'),
    link: Text('Address of the issue in this API.', { format: 'uri' }),
  },
  { description: 'An issue that the person was shown while signing in.' },
)

const AuthLogEvent = Type.Object(
  {
    timestamp: Timestamp('When it happened.'),
    event_type: Choice(authLogEventTypes, 'What kind of step it was.'),
    event_description: Text('What happened, as a sentence.'),
  },
  { description: 'One step of signing in.' },
)

export const AuthLog = Type.Object(
  {
    id: Identifier('Identifier of the entry.'),
    timestamp: Timestamp('When the person began to sign in.'),
    person_name: Text(
      'Name of the person as it was then; of someone who is not on the list, as the identity provider said it.',
    ),
    person_email: Text(
      'E-mail address of the person as it was then; of someone who is not on the list, as the identity provider said it.',
    ),
    person_info: Link('The person who signed in.'),
    device_info: Link('The device they signed in with.'),
    result: Choice(authResults, 'Whether the person got in: Fail until they do.'),
    initial_status: Choice(initialStatuses, 'What state the device was in at first; unknown without a device.'),
    ip_address: Text('Address that the person came from; blank when it is not known.'),
    agent_version: Nullable(Text('Version of the agent on the device; null when none was found.')),
    country: Nullable(Text('Country of the address; null when it is not known.')),
    city: Nullable(Text('City of the address; null when it is not known.')),
    browser_name: Text('Name of the browser; blank when it is not known.'),
    browser_user_agent: Text('What the browser calls itself.'),
    issues_displayed: Type.Array(AuthLogDisplayedIssue, {
      description: 'The issues that the person was shown, in the order they were shown.',
    }),
    events: Type.Array(AuthLogEvent, { description: 'The steps of signing in, in order.' }),
    okta_app_instance_id: Text('Identifier of the application at the identity provider; blank when it told none.'),
    okta_app_name: Text('Name of the application at the identity provider; blank when it told none.'),
  },
  {
    title: 'AuthLog',
    description: 'One attempt of a person to sign in.',
    examples: [
      {
        id: '50117',
        timestamp: '2026-11-20T07:58:12.004Z',
        person_name: 'Tomas Okafor',
        person_email: 'tomas@acme.example',
        person_info: { identifier: '311', link: 'https://muster.example.com/people/311' },
        device_info: { identifier: '1042', link: 'https://muster.example.com/devices/1042' },
        result: 'Success',
        initial_status: 'will_block',
        ip_address: '198.51.100.24',
        agent_version: '5.19.0',
        country: 'Sweden',
        city: 'Uppsala',
        browser_name: 'Firefox',
        browser_user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
        issues_displayed: [
          {
            title: 'Unencrypted SSH key',
            blocking_status: 'will_block',
            id: '7719',
            link: 'https://muster.example.com/issues/7719',
          },
        ],
        events: [
          {
            timestamp: '2026-11-20T07:58:12.004Z',
            event_type: 'sign_in_attempt',
            event_description: 'Tomas Okafor began to sign in.',
          },
          {
            timestamp: '2026-11-20T07:58:41.207Z',
            event_type: 'sign_in_success',
            event_description: 'Tomas Okafor signed in.',
          },
        ],
        okta_app_instance_id: '',
        okta_app_name: '',
      },
    ],
  },
)
export type AuthLog = Static<typeof AuthLog>

export const authLogSearch = {
  timestamp: timeField,
  city: nullableTextField,
  country: nullableTextField,
  ip_address: textField,
  agent_version: nullableTextField,
  browser_name: textField,
  person_name: textField,
  person_email: emailField,
  person_id: nullableTextField,
  device_id: nullableTextField,
  result: choiceField(authResults),
} as const satisfies SearchFields
