import Type, { type Static } from 'typebox'
import { issueSorts, maxWrittenAtOnce } from './console-values.ts'
import { RegistrationEvidence } from './registration-evidence.ts'
import { Choice, Count, Flag, Identifier, Nullable, Row, Text, Timestamp } from './schema-kit.ts'

const named = (what: string) =>
  Type.Object(
    { id: Identifier(`Identifier of the ${what}.`), name: Text(`Name of the ${what}.`) },
    { description: `The ${what}.` },
  )

const issueFields = {
  id: Identifier('Identifier of the issue.'),
  title: Text('What is wrong.'),
  issue_value: Nullable(Text('What tells the issue apart from others of the check on the device.')),
  exempted: Flag('Whether it is exempted and so does not block.'),
  detected_at: Timestamp('When it was found.'),
  resolved_at: Nullable(Timestamp('When it was resolved; null while it is open.')),
  blocks_at: Nullable(Timestamp('When it blocks its device, or began to; null when it never will.')),
  strategy: Choice(
    ['report_only', 'notify_only', 'warn_then_block', 'block_immediately'],
    'What its check does where it fails now; of one that only reports nobody is told.',
  ),
  is_paused: Flag('Whether its check is paused: it blocks nobody, and nobody is told.'),
  is_held: Flag('Whether its block is held with many others of the check, or was discarded with them.'),
  device: named('device'),
  check: named('check'),
  owner: Nullable(named('owner')),
}

const issueExample = {
  id: '57',
  title: 'A private SSH key has no passphrase',
  issue_value: '/home/ana/.ssh/id_rsa',
  exempted: false,
  detected_at: '2026-11-20T09:00:00.000Z',
  resolved_at: null,
  blocks_at: '2026-11-27T09:00:00.000Z',
  strategy: 'warn_then_block',
  is_paused: false,
  is_held: false,
  device: { id: '12', name: 'ana-x1' },
  check: { id: '8', name: 'SSH keys have passphrases' },
  owner: { id: '5', name: 'Ana Lima' },
}

/** A row of the list of issues. */
export const IssueView = Type.Object(issueFields, {
  title: 'IssueView',
  examples: [issueExample],
  description: 'An issue, as the list shows it.',
})
export type IssueView = Static<typeof IssueView>

const issueStates = [
  'open',
  'all',
  'blocking',
  'will_block',
  'held',
  'notified',
  'report_only',
  'exempted',
  'resolved',
] as const

export const IssueViewFilter = Type.Object(
  {
    state: Type.Optional(
      Choice(
        issueStates,
        'How it stands; `notified`: its owner is told at sign-in, and it does not block; open ones if it is left out.',
      ),
    ),
    check: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: 'Of this check.' })),
    device: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: 'On this device.' })),
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Text in the title, value or name of the device.' }),
    ),
  },
  { title: 'IssueViewFilter', examples: [{ state: 'open' }], description: 'What narrows the list.' },
)
export type IssueViewFilter = Static<typeof IssueViewFilter>

export const IssueViewListing = Type.Object(
  {
    ...IssueViewFilter.properties,
    sort: Type.Optional(
      Choice(
        issueSorts,
        'The order: oldest first, or what blocks soonest first, which is for open issues; newest first if it is left out.',
      ),
    ),
  },
  {
    title: 'IssueViewListing',
    examples: [{ state: 'will_block', sort: 'blocks_at' }],
    description: 'What narrows the list, and its order.',
  },
)
export type IssueViewListing = Static<typeof IssueViewListing>

/** The page of an issue. */
export const IssueFacts = Type.Object(
  {
    ...issueFields,
    value: Row('The row that failed.'),
    rationale: Nullable(Text('Why it matters, in Markdown, as the owner reads it; null where there is none.')),
    fix_instructions: Nullable(Text('How to put it right, in Markdown, with the row that failed.')),
    issue_key: Nullable(Text('The column that the value is of.')),
    last_rechecked_at: Nullable(Timestamp('When the check last looked again.')),
    recheck_asked_at: Nullable(Timestamp('When a new run was asked for; null when none is waited for.')),
    exemption: Nullable(
      Type.Object(
        {
          reason: Text('Why the check is exempted on the device.'),
          since: Timestamp('Since when.'),
          expires_at: Nullable(Timestamp('Until when; null: without an end.')),
        },
        { description: 'That the whole check is exempted on the device; null when it is not.' },
      ),
    ),
    exempted_on_request: Flag('Whether someone asked for the exemption of the issue.'),
    snoozed_until: Nullable(Timestamp('Until when its owner has put it off; null when they have not.')),
    requests: Type.Array(
      Type.Object(
        {
          id: Identifier('Identifier of the request.'),
          status: Choice(['open', 'withdrawn', 'approved', 'denied'], 'What has become of it.'),
          requested_at: Timestamp('When it was made.'),
        },
        { description: 'A request.' },
      ),
      { description: 'The latest requests for its exemption.' },
    ),
    earlier: Type.Array(
      Type.Object(
        {
          id: Identifier('Identifier of the issue.'),
          detected_at: Timestamp('When it was found.'),
          resolved_at: Nullable(Timestamp('When it was resolved.')),
        },
        { description: 'An issue.' },
      ),
      { description: 'The same failure before or since, newest first.' },
    ),
  },
  {
    title: 'IssueFacts',
    examples: [
      {
        ...issueExample,
        value: { path: '/home/ana/.ssh/id_rsa', KOLIDE_CHECK_STATUS: 'FAIL' },
        rationale: 'Whoever copies the file can use the key.',
        fix_instructions: '1. Run `ssh-keygen -p -f /home/ana/.ssh/id_rsa`.',
        issue_key: 'path',
        last_rechecked_at: '2026-11-20T09:00:00.000Z',
        recheck_asked_at: null,
        exemption: null,
        exempted_on_request: false,
        snoozed_until: null,
        requests: [{ id: '57', status: 'open', requested_at: '2026-11-20T09:00:00.000Z' }],
        earlier: [{ id: '31', detected_at: '2026-10-02T09:00:00.000Z', resolved_at: '2026-10-03T14:12:00.000Z' }],
      },
    ],
    description: 'An issue with what its page shows.',
  },
)
export type IssueFacts = Static<typeof IssueFacts>

const told = {
  id: issueFields.id,
  title: issueFields.title,
  exempted: issueFields.exempted,
  resolved_at: issueFields.resolved_at,
  blocks_at: issueFields.blocks_at,
  strategy: issueFields.strategy,
  is_paused: issueFields.is_paused,
  is_held: issueFields.is_held,
  device: issueFields.device,
  owner: issueFields.owner,
  texts_left_out: Flag('Whether the texts are left out, because those before have taken what one request may render.'),
  rationale: Nullable(Text('Why it matters, in Markdown, as the owner reads it; null where there is none.')),
  fix_instructions: Nullable(Text('How to put it right, in Markdown, with the row that failed.')),
}

export const OwnerIssuesQuery = Type.Object(
  {
    device_ids: Text('Identifiers of up to 50 devices, separated by commas.', {
      pattern: `^[0-9]{1,18}(,[0-9]{1,18}){0,${maxWrittenAtOnce - 1}}$`,
    }),
  },
  { title: 'OwnerIssuesQuery', description: 'Devices to write about.', examples: [{ device_ids: '1042,1043' }] },
)

export const OwnerIssues = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          email: Text('E-mail address of the owner.'),
          issues: Type.Array(Type.Object(told, { description: 'An issue.' }), {
            description: 'What the owner reads about at sign-in, what blocks first, 10 at most.',
          }),
        },
        { description: 'A device.' },
      ),
      { description: 'The devices whose owners have something to fix.' },
    ),
  },
  {
    title: 'OwnerIssues',
    description: 'What the owners of devices read at sign-in.',
    examples: [
      {
        data: [
          {
            email: 'ana@acme.example',
            issues: [
              {
                id: issueExample.id,
                title: issueExample.title,
                exempted: false,
                resolved_at: null,
                blocks_at: issueExample.blocks_at,
                strategy: 'warn_then_block',
                is_paused: false,
                is_held: false,
                device: issueExample.device,
                owner: issueExample.owner,
                texts_left_out: false,
                rationale: 'Whoever copies the key can use it.',
                fix_instructions: 'Run `ssh-keygen -p -f ~/.ssh/id_rsa`.',
              },
            ],
          },
        ],
      },
    ],
  },
)
export type OwnerIssues = Static<typeof OwnerIssues>

export const CheckExemption = Type.Object(
  {
    reason: Text('Why.', { minLength: 1, maxLength: 5_000 }),
    expires_at: Nullable(Timestamp('Until when; null: without an end.')),
  },
  {
    title: 'CheckExemption',
    examples: [{ reason: 'A build server.', expires_at: null }],
    description: 'That a check is not to count on a device.',
  },
)

const requestFields = {
  id: Identifier('Identifier of the request.'),
  requested_at: Timestamp('When it was made.'),
  decided_at: Nullable(Timestamp('When it was decided; null while it waits.')),
  message: Text('What the requester wrote.'),
  internal_note: Nullable(Text('For other administrators.')),
  denial_note: Nullable(Text('Why it was denied, for the requester.')),
  requester: named('person'),
  device: named('device'),
}

const requestExample = {
  id: '57',
  requested_at: '2026-11-20T09:00:00.000Z',
  decided_at: null,
  message: 'The update breaks our build tools.',
  internal_note: null,
  denial_note: null,
  requester: { id: '5', name: 'Ana Lima' },
  device: { id: '12', name: 'ana-mbp' },
}

export const ExemptionRequestView = Type.Object(
  {
    ...requestFields,
    status: Choice(['open', 'withdrawn', 'approved', 'denied'], 'What has become of it.'),
    issues: Type.Array(
      Type.Object(
        {
          id: Identifier('Identifier of the issue.'),
          title: Text('What is wrong.'),
          issue_value: Nullable(Text('What tells it apart.')),
          blocks_at: Nullable(Timestamp('When it blocks.')),
          resolved_at: Nullable(Timestamp('When it was resolved.')),
        },
        { description: 'An issue.' },
      ),
      { description: 'The issues to exempt, 50 at most.' },
    ),
  },
  {
    title: 'ExemptionRequestView',
    examples: [
      {
        ...requestExample,
        status: 'open',
        issues: [
          {
            id: '57',
            title: 'macOS is out of date',
            issue_value: null,
            blocks_at: '2026-11-27T09:00:00.000Z',
            resolved_at: null,
          },
        ],
      },
    ],
    description: 'A request for exemption, as the list shows it.',
  },
)
export type ExemptionRequestView = Static<typeof ExemptionRequestView>

export const RegistrationRequestView = Type.Object(
  {
    ...requestFields,
    status: Choice(['pending', 'approved', 'denied', 'withdrawn'], 'What has become of it.'),
    present_owner: Nullable(named('owner')),
    hardware_model: Nullable(Text('What the device is.')),
    serial: Nullable(Text('Its serial number.')),
    operating_system: Nullable(Text('Its operating system.')),
    is_suspended: Flag('Whether it is the requester’s, and their registration is suspended.'),
    ended: Nullable(
      Type.Object(
        { at: Timestamp('When.'), by: Text('By whom.') },
        { description: 'Who ended the requester’s earlier registration of the device.' },
      ),
    ),
    evidence: Nullable(RegistrationEvidence),
  },
  {
    title: 'RegistrationRequestView',
    examples: [
      {
        ...requestExample,
        status: 'pending',
        present_owner: null,
        hardware_model: 'MacBook Pro 14″, M3 Pro',
        serial: 'C02XK9LMD',
        operating_system: 'macOS 15.5',
        is_suspended: false,
        ended: null,
        evidence: null,
      },
    ],
    description: 'A request for registration, as the list shows it.',
  },
)
export type RegistrationRequestView = Static<typeof RegistrationRequestView>

export const RequestViewFilter = Type.Object(
  {
    status: Type.Optional(Choice(['waiting', 'approved', 'denied', 'withdrawn'], 'What has become of it.')),
  },
  { title: 'RequestViewFilter', examples: [{ status: 'waiting' }], description: 'What narrows the list.' },
)
export type RequestViewFilter = Static<typeof RequestViewFilter>

export const WaitingCounts = Type.Object(
  {
    exemptions: Count('Requests for exemption that wait.'),
    registrations: Count('Requests for registration that wait.'),
  },
  {
    title: 'WaitingCounts',
    examples: [{ exemptions: 3, registrations: 3 }],
    description: 'How many requests wait for a decision.',
  },
)
export type WaitingCounts = Static<typeof WaitingCounts>
