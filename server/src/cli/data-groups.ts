import type { DataCommand } from './data-command.ts'
import type { CommandGroup } from './describe-commands.ts'

type Loaded = Readonly<Record<string, DataCommand>>

export type DataGroup = {
  name: string
  summary: string
  alias?: string
  /** The words and flags of its commands, for a command line that is about them. */
  describe(): Promise<readonly CommandGroup[]>
  /** What runs them, which brings the engine along: for each of the described. */
  load: readonly (() => Promise<Loaded>)[]
}

/** All groups of commands on data, in the order of the help. */
export const dataGroups: readonly DataGroup[] = [
  {
    name: 'organizations',
    summary: 'Organizations and their features',
    describe: async () => [(await import('./commands/organization-group.ts')).organizationGroup],
    load: [async () => (await import('./commands/organization-commands.ts')).organizationCommands],
  },
  {
    name: 'people',
    summary: 'People',
    describe: async () => [(await import('./commands/people-group.ts')).peopleGroup],
    load: [async () => (await import('./commands/people-commands.ts')).peopleCommands],
  },
  {
    name: 'admins',
    alias: 'admin',
    summary: 'Administrators',
    describe: async () => [(await import('./commands/admin-group.ts')).adminGroup],
    load: [async () => (await import('./commands/admin-commands.ts')).adminCommands],
  },
  {
    name: 'scim',
    summary: 'Identity providers that provision people and groups',
    describe: async () => [(await import('./commands/scim-group.ts')).scimGroup],
    load: [async () => (await import('./commands/scim-commands.ts')).scimCommands],
  },
  {
    name: 'connections',
    summary: 'Applications and identity providers that people sign in to through Muster',
    describe: async () => (await import('./commands/connection-group.ts')).connectionGroups,
    load: [
      async () => (await import('./commands/add-connection-commands.ts')).newConnectionCommands,
      async () => (await import('./commands/connection-commands.ts')).connectionCommands,
    ],
  },
  {
    name: 'upstreams',
    summary: 'Identity providers that people sign in at before their device is checked',
    describe: async () => [(await import('./commands/upstream-group.ts')).upstreamGroup],
    load: [async () => (await import('./commands/upstream-commands.ts')).upstreamCommands],
  },
  {
    name: 'streams',
    summary: 'Streams of signals (Shared Signals Framework)',
    describe: async () => [(await import('./commands/stream-group.ts')).streamGroup],
    load: [async () => (await import('./commands/stream-commands.ts')).streamCommands],
  },
  {
    name: 'webhooks',
    summary: 'Webhook endpoints and what was sent to them',
    describe: async () => (await import('./commands/webhook-group.ts')).webhookGroups,
    load: [
      async () => (await import('./commands/webhook-commands.ts')).webhookCommands,
      async () => (await import('./commands/webhook-log-commands.ts')).webhookLogCommands,
    ],
  },
  {
    name: 'devices',
    summary: 'Devices and their registrations',
    describe: async () => [(await import('./commands/device-group.ts')).deviceGroup],
    load: [async () => (await import('./commands/device-commands.ts')).deviceCommands],
  },
  {
    name: 'issues',
    summary: 'Issues: what devices fail',
    describe: async () => [(await import('./commands/issue-group.ts')).issueGroup],
    load: [async () => (await import('./commands/issue-commands.ts')).issueCommands],
  },
  {
    name: 'sign-ins',
    summary: 'The log of sign-ins',
    describe: async () => [(await import('./commands/sign-in-group.ts')).signInGroup],
    load: [async () => (await import('./commands/sign-in-commands.ts')).signInCommands],
  },
  {
    name: 'requests',
    summary: 'Requests of people: exemptions and registrations',
    describe: async () => [(await import('./commands/request-group.ts')).requestGroup],
    load: [async () => (await import('./commands/request-commands.ts')).requestCommands],
  },
  {
    name: 'groups',
    summary: 'Groups of devices and of people',
    describe: async () => [(await import('./commands/group-group.ts')).groupGroup],
    load: [async () => (await import('./commands/group-commands.ts')).groupCommands],
  },
  {
    name: 'keys',
    summary: 'API keys',
    describe: async () => (await import('./commands/key-group.ts')).keyGroups,
    load: [
      async () => (await import('./commands/key-commands.ts')).keyCommands,
      async () => (await import('./commands/signing-key-commands.ts')).signingKeyCommands,
    ],
  },
  {
    name: 'enrollment-secrets',
    summary: 'Secrets with which agents enroll',
    describe: async () => [(await import('./commands/enrollment-secret-group.ts')).enrollmentSecretGroup],
    load: [async () => (await import('./commands/enrollment-commands.ts')).enrollmentSecretCommands],
  },
  {
    name: 'packages',
    summary: 'Installation packages, with which devices enroll',
    describe: async () => [
      (await import('./commands/package-group.ts')).packageGroup,
      (await import('./commands/runtime-group.ts')).runtimeGroup,
    ],
    load: [
      async () => (await import('./commands/package-commands.ts')).packageCommands,
      async () => (await import('./commands/runtime-commands.ts')).runtimeCommands,
    ],
  },
  {
    name: 'checks',
    summary: 'Checks: the catalogue, and external ones',
    describe: async () => [(await import('./commands/check-group.ts')).checkGroup],
    load: [async () => (await import('./commands/check-commands.ts')).checkCommands],
  },
  {
    name: 'audit',
    summary: 'The audit log: verify that nobody changed it',
    describe: async () => [(await import('./commands/audit-group.ts')).auditGroup],
    load: [async () => (await import('./commands/audit-commands.ts')).auditCommands],
  },
  {
    name: 'drafts',
    summary: 'Drafts of custom checks, and publishing them',
    describe: async () => [(await import('./commands/draft-group.ts')).draftGroup],
    load: [async () => (await import('./commands/draft-commands.ts')).draftCommands],
  },
  {
    name: 'live-queries',
    summary: 'osquery SQL that chosen devices run at once',
    describe: async () => [(await import('./commands/live-query-group.ts')).liveQueryGroup],
    load: [async () => (await import('./commands/live-query-commands.ts')).liveQueryCommands],
  },
  {
    name: 'reports',
    summary: 'Reporting queries: SQL over the reporting tables',
    describe: async () => [(await import('./commands/report-group.ts')).reportGroup],
    load: [async () => (await import('./commands/report-commands.ts')).reportCommands],
  },
]
