import Type, { type Static } from 'typebox'
import { type AuditAction, auditActions } from './audit-actions.ts'
import { AuditChange } from './audit-changes.ts'
import { AuditLog, actorTypes } from './audit-logs.ts'
import { auditSubjectWords } from './audit-subjects.ts'
import { authResults, initialStatuses } from './auth-logs.ts'
import { Choice, Count, Flag, Identifier, Nullable, Text, Timestamp } from './schema-kit.ts'
import { signInReasonNames } from './sign-in-reasons.ts'

const search = (what: string) => Type.Optional(Text(`A part of ${what}.`, { maxLength: 200 }))

const spans = ['24h', '7d', '30d'] as const
const since = () => Type.Optional(Choice(spans, 'Only what happened within that time.'))
const recordId = (what: string) => Type.Optional(Text(`Identifier of the ${what}.`, { pattern: '^[0-9]{1,18}$' }))

const deviceStates = ['blocked', 'will_block', 'notified', 'good'] as const

/** A row of the list of people. */
export const PersonView = Type.Object(
  {
    id: Identifier('Identifier of the person.'),
    name: Text('Full name of the person.'),
    email: Text('E-mail address of the person.'),
    devices_count: Count('How many devices are registered to the person.'),
    worst_state: Nullable(Choice(deviceStates, 'The state of the device that stands worst; null without devices.')),
    groups_count: Count('How many groups the person is in.'),
    created_at: Timestamp('When the person was first provisioned.'),
    last_authenticated_at: Nullable(Timestamp('When the person last signed in with a device; null if never.')),
    deprovisioned_at: Nullable(Timestamp('When the person was deprovisioned; null while they are not.')),
  },
  {
    title: 'PersonView',
    description: 'A person in a list of the console.',
    examples: [
      {
        id: '311',
        name: 'Ana Ruiz',
        email: 'ana.ruiz@halden.example',
        devices_count: 2,
        worst_state: 'will_block',
        groups_count: 3,
        created_at: '2025-02-03T08:30:00.000Z',
        last_authenticated_at: '2026-11-20T07:58:41.207Z',
        deprovisioned_at: null,
      },
    ],
  },
)
export type PersonView = Static<typeof PersonView>

export const PersonDetail = Type.Object(
  {
    id: Identifier('Identifier of the person.'),
    deprovisioned_at: Nullable(Timestamp('When the person was deprovisioned; null while they are not.')),
    is_provided: Flag(
      'Whether SCIM provides the person, so that the identity provider deprovisions and restores them.',
    ),
    is_administrator: Flag('Whether an administrator of the organization has the same e-mail address.'),
  },
  {
    title: 'PersonDetail',
    description: 'What the page of a person shows beside the record.',
    examples: [{ id: '311', deprovisioned_at: null, is_provided: false, is_administrator: true }],
  },
)
export type PersonDetail = Static<typeof PersonDetail>

export const PersonViewFilter = Type.Object(
  {
    status: Type.Optional(Choice(['active', 'deprovisioned'], 'Who was taken out, or who was not, as by default.')),
    devices: Type.Optional(Choice(['some', 'none', 'blocked'], 'Whether they have devices, or a blocked one.')),
    group_id: recordId('group that they are in'),
    search: search('the name or e-mail address'),
  },
  { title: 'PersonViewFilter', description: 'What narrows the list of people.', examples: [{ search: 'ana' }] },
)
export type PersonViewFilter = Static<typeof PersonViewFilter>

/** A row of the sign-in log. */
export const SignInView = Type.Object(
  {
    id: Identifier('Identifier of the entry.'),
    timestamp: Timestamp('When the person began to sign in.'),
    result: Choice(authResults, 'Whether the person got in.'),
    initial_status: Choice(initialStatuses, 'What state the device was in at first.'),
    person_id: Nullable(Identifier('Identifier of the person; null of someone who is not on the list.')),
    person_name: Text('Name of the person as it was then.'),
    person_email: Text('E-mail address of the person as it was then.'),
    device_id: Nullable(Identifier('Identifier of the device; null without one.')),
    device_name: Nullable(Text('Name of the device as it was then.')),
    ip_address: Text('Address that the person came from.'),
    place: Nullable(Text('City and country of the address; null when they are not known.')),
    browser_name: Text('Name of the browser.'),
    application_name: Text('Name of the application.'),
    failure_reason: Nullable(
      Choice(signInReasonNames, 'Why the person did not get in; null of a success, and until then.'),
    ),
  },
  {
    title: 'SignInView',
    description: 'A sign-in in a list of the console.',
    examples: [
      {
        id: '50117',
        timestamp: '2026-11-20T07:58:12.004Z',
        result: 'Success',
        initial_status: 'will_block',
        person_id: '311',
        person_name: 'Ana Ruiz',
        person_email: 'ana.ruiz@halden.example',
        device_id: '1042',
        device_name: 'ana-ruiz-mbp14',
        ip_address: '198.51.100.24',
        place: 'Uppsala, Sweden',
        browser_name: 'Firefox',
        application_name: 'Okta',
        failure_reason: null,
      },
    ],
  },
)
export type SignInView = Static<typeof SignInView>

export const SignInViewFilter = Type.Object(
  {
    result: Type.Optional(Choice(authResults, 'Only those that succeeded, or that failed.')),
    initial_status: Type.Optional(Choice(initialStatuses, 'Only those whose device was in that state at first.')),
    failure_reason: Type.Optional(Choice(signInReasonNames, 'Only those that failed for this reason.')),
    connection_id: recordId('sign-in connection'),
    since: since(),
    device_id: recordId('device'),
    person_id: recordId('person'),
    search: search('the name or e-mail address of the person, the name of the device, or the address'),
  },
  { title: 'SignInViewFilter', description: 'What narrows the sign-in log.', examples: [{ result: 'Fail' }] },
)
export type SignInViewFilter = Static<typeof SignInViewFilter>

/** An entry of the audit log, with what proves it. */
export const AuditView = Type.Object(
  {
    ...AuditLog.properties,
    action: Nullable(
      Choice(Object.keys(auditActions) as AuditAction[], 'What was done; null in entries from before it was kept.'),
    ),
    changes: Type.Array(AuditChange, { description: 'Values before and after, where the entry has some.' }),
    ip_address: Nullable(Text('Address that the actor came from; null for the service itself.')),
    hash: Text('Hash of the entry and of the one before, in hexadecimal.'),
    previous_hash: Text('Hash of the entry before, in hexadecimal.'),
  },
  {
    title: 'AuditView',
    description: 'An entry of the audit log in the console.',
    examples: [
      {
        id: '90211',
        timestamp: '2026-11-20T09:14:03.120Z',
        actor_name: 'Maya Lindqvist',
        description: 'Changed the grace period of the check "FileVault is on" from 7 to 3 days.',
        actor_info: { actor_name: 'Maya Lindqvist', actor_email: 'maya@acme.example', actor_type: 'User' },
        action: 'check.configured',
        changes: [{ field: 'block_auth_grace_period_days', from: 7, to: 3 }],
        ip_address: '198.51.100.24',
        hash: 'b64ac3f1',
        previous_hash: '09dd51e2',
      },
    ],
  },
)
export type AuditView = Static<typeof AuditView>

export const AuditViewFilter = Type.Object(
  {
    actor_type: Type.Optional(Choice(actorTypes, 'Only what such actors did.')),
    action: Type.Optional(Choice(Object.keys(auditActions) as AuditAction[], 'Only entries of this action.')),
    since: since(),
    subject: Type.Optional(
      Text('Only what is about this record, as `device:1042`.', {
        pattern: `^(${Object.keys(auditSubjectWords).join('|')}):[0-9]{1,18}$`,
      }),
    ),
    about: Type.Optional(
      Text(
        'A name that the sentence has in quotes; beside `subject`, for the entries alone that were written before an entry noted what it is about.',
        { maxLength: 200 },
      ),
    ),
    search: search('the sentence or the name of the actor'),
  },
  { title: 'AuditViewFilter', description: 'What narrows the audit log.', examples: [{ actor_type: 'User' }] },
)
export type AuditViewFilter = Static<typeof AuditViewFilter>
