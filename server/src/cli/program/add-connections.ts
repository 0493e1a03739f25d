import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { milliseconds } from './read-duration.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/connection-commands.ts')

type Flags = {
  redirectUri?: string[]
  entra?: boolean
  cloud?: string
  tenantId?: string[]
  appId?: string
  requestKeys?: string
  startUrl?: string
  public?: boolean
  trustHint?: boolean
  managedBrowsers?: boolean
  waitMinutes?: string
  upstream?: string
  organization?: string
}

export function addConnections(program: Command, shell: Shell): void {
  const connections = program
    .command('connections')
    .description('Applications and identity providers that people sign in to through Muster')
  connections
    .command('create <name>')
    .description('Add an OpenID Connect client and print its identifier and secret, this once; or Microsoft Entra')
    .option('--redirect-uri <url...>', 'where the answer goes')
    .option('--request-keys <file>', 'a JWK set of the keys that sign its requests')
    .option('--start-url <url>', 'where people open the application again')
    .option('--public', 'it has no secret and proves itself by PKCE')
    .option('--trust-hint', 'it has signed the person in before it asks, so that login_hint may be believed')
    .option('--managed-browsers', 'policies allow the page to ask the agent without the browser asking first')
    .option('--upstream <id>', 'people sign in there first, whatever its requests say: see muster upstreams')
    .option('--wait-minutes <number>', 'how long it waits for an answer (1 to 30; 10)')
    .option('--entra', 'an external authentication method (external MFA) of Microsoft Entra')
    .option('--cloud <name>', 'with --entra: global, us_government or china (global)')
    .option('--tenant-id <id...>', 'with --entra: the directory (tenant) IDs whose people sign in')
    .option('--app-id <id>', 'with --entra: the application (client) ID of the app registration')
    .option(...organizationFlag)
    .action(async (name: string, { redirectUri, requestKeys, waitMinutes, upstream, entra, ...flags }: Flags) => {
      if (entra) return createEntra(shell, name, { ...flags, ...(waitMinutes !== undefined && { waitMinutes }) })
      if (!redirectUri) throw new CommandError(exitCodes.usage, 'Give where the answer goes: --redirect-uri <url>')
      const { public: isPublic, trustHint: isHintTrusted, managedBrowsers: isBrowserManaged, ...rest } = flags
      const asked = {
        ...{ ...rest, name, ...(redirectUri && { redirectUris: redirectUri }) },
        ...(requestKeys !== undefined && { requestKeys: await readFile(requestKeys, 'utf8') }),
        ...(isPublic && { isPublic }),
        ...(isHintTrusted && { isHintTrusted }),
        ...(isBrowserManaged && { isBrowserManaged }),
        ...(upstream !== undefined && { upstreamId: upstream }),
        ...(waitMinutes !== undefined && { waitSeconds: Math.round(Number(waitMinutes) * 60) }),
      }
      await runOnData(shell, async () => (await commands()).createConnectionCommand, asked)
    })
  connections
    .command('list')
    .description('List the connections, and whether their requests name the person')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listConnectionsCommand, flags))
  const modes = [
    ['enforce', 'enforce', 'Refuse devices that are blocked'],
    ['observe', 'observe', 'Let everybody in who is known, and write down who would be refused'],
    ['disable', 'disabled', 'Refuse everybody'],
  ] as const
  for (const [verb, mode, description] of modes) {
    connections
      .command(`${verb} <id>`)
      .description(description)
      .option(...organizationFlag)
      .action((id: string, flags: object) =>
        runOnData(shell, async () => (await commands()).setConnectionModeCommand, { ...flags, id, mode }),
      )
  }
  connections
    .command('pause <id>')
    .description('Let known people in without the check of their device for a while')
    .requiredOption('--for <time>', 'how long, such as 30m or 4h; a day at most', milliseconds)
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option(...organizationFlag)
    .action((id: string, { for: forMs, ...flags }: { for: number; reason: string }) =>
      runOnData(shell, async () => (await commands()).pauseConnectionCommand, {
        ...{ ...flags, id, minutes: Math.ceil(forMs / 60_000) },
      }),
    )
  connections
    .command('resume <id>')
    .description('End a pause before its time')
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).resumeConnectionCommand, { ...flags, id }),
    )
  connections
    .command('roll-secret <id>')
    .description('Replace the client secret and print the new one, this once')
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).rollConnectionSecretCommand, { ...flags, id }),
    )
  connections
    .command('delete <id>')
    .description('Delete a connection')
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).deleteConnectionCommand, { ...flags, id }),
    )
}

async function createEntra(shell: Shell, name: string, flags: Omit<Flags, 'entra' | 'redirectUri'>): Promise<void> {
  const { tenantId, managedBrowsers: isBrowserManaged, waitMinutes, ...rest } = flags
  if (!tenantId || rest.appId === undefined) {
    throw new CommandError(exitCodes.usage, 'Give the tenants and the app registration: --tenant-id <id> --app-id <id>')
  }
  const asked = {
    ...{ ...rest, name, tenantIds: tenantId },
    ...(isBrowserManaged && { isBrowserManaged }),
    ...(waitMinutes !== undefined && { waitSeconds: Math.round(Number(waitMinutes) * 60) }),
  }
  await runOnData(shell, async () => (await commands()).createEntraConnectionCommand, asked)
}
