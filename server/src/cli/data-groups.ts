import { adminGroup } from './commands/admin-group.ts'
import { auditGroup } from './commands/audit-group.ts'
import { checkGroup } from './commands/check-group.ts'
import { connectionGroup, newConnectionGroup } from './commands/connection-group.ts'
import { deviceGroup } from './commands/device-group.ts'
import { draftGroup } from './commands/draft-group.ts'
import { enrollmentSecretGroup } from './commands/enrollment-secret-group.ts'
import { groupGroup } from './commands/group-group.ts'
import { keyGroup, signingKeyGroup } from './commands/key-group.ts'
import { liveQueryGroup } from './commands/live-query-group.ts'
import { organizationGroup } from './commands/organization-group.ts'
import { packageGroup } from './commands/package-group.ts'
import { peopleGroup } from './commands/people-group.ts'
import { reportGroup } from './commands/report-group.ts'
import { requestGroup } from './commands/request-group.ts'
import { scimGroup } from './commands/scim-group.ts'
import { streamGroup } from './commands/stream-group.ts'
import { upstreamGroup } from './commands/upstream-group.ts'
import { webhookGroup, webhookLogGroup } from './commands/webhook-group.ts'
import type { DataCommand } from './data-command.ts'
import type { CommandGroup } from './describe-commands.ts'

type DataGroup = { group: CommandGroup; load(): Promise<Readonly<Record<string, DataCommand>>> }

/** All groups of commands on data, in the order of the help, with what runs them. */
export const dataGroups: readonly DataGroup[] = [
  {
    group: organizationGroup,
    load: async () => (await import('./commands/organization-commands.ts')).organizationCommands,
  },
  { group: peopleGroup, load: async () => (await import('./commands/people-commands.ts')).peopleCommands },
  { group: adminGroup, load: async () => (await import('./commands/admin-commands.ts')).adminCommands },
  { group: scimGroup, load: async () => (await import('./commands/scim-commands.ts')).scimCommands },
  {
    group: newConnectionGroup,
    load: async () => (await import('./commands/add-connection-commands.ts')).newConnectionCommands,
  },
  { group: connectionGroup, load: async () => (await import('./commands/connection-commands.ts')).connectionCommands },
  { group: upstreamGroup, load: async () => (await import('./commands/upstream-commands.ts')).upstreamCommands },
  { group: streamGroup, load: async () => (await import('./commands/stream-commands.ts')).streamCommands },
  { group: webhookGroup, load: async () => (await import('./commands/webhook-commands.ts')).webhookCommands },
  { group: webhookLogGroup, load: async () => (await import('./commands/webhook-log-commands.ts')).webhookLogCommands },
  { group: deviceGroup, load: async () => (await import('./commands/device-commands.ts')).deviceCommands },
  { group: requestGroup, load: async () => (await import('./commands/request-commands.ts')).requestCommands },
  { group: groupGroup, load: async () => (await import('./commands/group-commands.ts')).groupCommands },
  { group: keyGroup, load: async () => (await import('./commands/key-commands.ts')).keyCommands },
  { group: signingKeyGroup, load: async () => (await import('./commands/signing-key-commands.ts')).signingKeyCommands },
  {
    group: enrollmentSecretGroup,
    load: async () => (await import('./commands/enrollment-commands.ts')).enrollmentSecretCommands,
  },
  { group: packageGroup, load: async () => (await import('./commands/package-commands.ts')).packageCommands },
  { group: checkGroup, load: async () => (await import('./commands/check-commands.ts')).checkCommands },
  { group: auditGroup, load: async () => (await import('./commands/audit-commands.ts')).auditCommands },
  { group: draftGroup, load: async () => (await import('./commands/draft-commands.ts')).draftCommands },
  { group: liveQueryGroup, load: async () => (await import('./commands/live-query-commands.ts')).liveQueryCommands },
  { group: reportGroup, load: async () => (await import('./commands/report-commands.ts')).reportCommands },
]
