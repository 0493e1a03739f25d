import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { exitCodes } from '../command-error.ts'
import type { DataCommand } from '../data-command.ts'
import { runIntoFile } from './run-into-file.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/add-connection-commands.ts')

type CommonFlags = {
  startUrl?: string
  managedBrowsers?: boolean
  waitMinutes?: string
  json?: string
  organization?: string
}
type ClientFlags = CommonFlags & { redirectUri: string[]; requestKeys?: string; public?: boolean; upstream?: string }
type EntraFlags = CommonFlags & { cloud?: string; tenantId: string[]; appId: string }

/** `muster connections add`: one command for each kind of caller. */
export function addNewConnections(connections: Command, shell: Shell): void {
  const add = connections
    .command('add')
    .description('Add a connection, and print what its caller is set up with, this once')
  const client = (name: string) =>
    withCommonFlags(add.command(name), '1 to 30; 10')
      .requiredOption('--redirect-uri <url...>', 'where the answer goes')
      .option('--public', 'it has no secret and proves itself by PKCE')
  client('second-step <name>')
    .description('An identity provider or application that has signed the person in before it asks')
    .requiredOption('--request-keys <file>', 'a JWK set of the public keys that sign its requests, of one algorithm')
    .action((name: string, flags: ClientFlags) => addClient(shell, { name, kind: 'second_step' }, flags))
  client('application <name>')
    .description('An application whose people sign in at an upstream identity provider')
    .requiredOption('--upstream <id>', 'where people sign in, whatever its requests say: see muster upstreams')
    .option('--request-keys <file>', 'a JWK set of the public keys that sign its requests; others are refused')
    .action((name: string, flags: ClientFlags) => addClient(shell, { name, kind: 'application' }, flags))
  withCommonFlags(add.command('entra <name>'), '1 to 5; 5')
    .description('An external authentication method (external MFA) of Microsoft Entra')
    .requiredOption('--tenant-id <id...>', 'the directory (tenant) IDs whose people sign in')
    .requiredOption('--app-id <id>', 'the application (client) ID of the app registration')
    .option('--cloud <name>', 'global, us_government or china (global)')
    .action((name: string, flags: EntraFlags) => addEntra(shell, name, flags))
}

const withCommonFlags = (command: Command, minutes: string): Command =>
  command
    .option('--start-url <url>', 'where people open the application again')
    .option('--managed-browsers', 'policies allow the page to ask the agent without the browser asking first')
    .option('--wait-minutes <number>', `how long it waits for an answer (${minutes})`)
    .option(
      '--json <file>',
      'what is printed, as JSON in a new file that only you can read; the terminal shows no secret',
    )
    .option(...organizationFlag)

async function addClient(
  shell: Shell,
  asked: { name: string; kind: 'second_step' | 'application' },
  { redirectUri: redirectUris, requestKeys, public: isPublic, upstream, ...flags }: ClientFlags,
): Promise<void> {
  await runAdd(shell, flags, async () => (await commands()).addConnectionCommand, {
    ...{ ...asked, redirectUris },
    ...(requestKeys !== undefined && { requestKeys: await readFile(requestKeys, 'utf8') }),
    ...(isPublic && { isPublic }),
    ...(upstream !== undefined && { upstreamId: upstream }),
  })
}

const addEntra = (shell: Shell, name: string, { tenantId: tenantIds, appId, cloud, ...flags }: EntraFlags) =>
  runAdd(shell, flags, async () => (await commands()).addEntraConnectionCommand, {
    ...{ name, tenantIds, appId },
    ...(cloud !== undefined && { cloud }),
  })

async function runAdd(
  shell: Shell,
  { managedBrowsers: isBrowserManaged, waitMinutes, json, ...flags }: CommonFlags,
  load: () => Promise<DataCommand>,
  asked: Record<string, unknown>,
): Promise<void> {
  const args = {
    ...{ ...flags, ...asked },
    ...(isBrowserManaged && { isBrowserManaged }),
    ...(waitMinutes !== undefined && { waitSeconds: Math.round(Number(waitMinutes) * 60) }),
  }
  if (json === undefined) return runOnData(shell, load, args)
  await runIntoFile(shell, { path: json, exitCode: exitCodes.usage }, load, { ...args, json: true })
  await shell.io.line(`${json} has what the caller is set up with. It may hold a secret: keep it safe.`)
}
