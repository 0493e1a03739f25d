import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/upstream-commands.ts')

type Flags = {
  provider?: string
  issuer?: string
  clientId: string
  clientSecretFile: string
  tenant?: string
  tenantClaim?: string
  domain?: string[]
  organization?: string
}

/** Without the line break that editors put at the end. */
const readSecret = async (file: string): Promise<string> => (await readFile(file, 'utf8')).replace(/\r?\n$/, '')

export function addUpstreams(program: Command, shell: Shell): void {
  const upstreams = program
    .command('upstreams')
    .description('Identity providers that people sign in at before their device is checked')
  upstreams
    .command('create <name>')
    .description('Add an identity provider, and print the redirect address to enter there')
    .option('--provider <product>', 'google, keycloak, authentik, zitadel, auth0 or oidc (any other)')
    .option('--issuer <url>', 'its issuer; known of google')
    .requiredOption('--client-id <id>', 'what it calls Muster')
    .requiredOption('--client-secret-file <file>', 'a file with the client secret that it has given')
    .option('--tenant <value>', 'the customer whose people may sign in: the domain of Google Workspace')
    .option('--tenant-claim <name>', 'the claim that names the customer (hd)')
    .option('--domain <domain...>', 'domains of the addresses that it may vouch for')
    .option(...organizationFlag)
    .action(async (name: string, { clientSecretFile, domain, ...flags }: Flags) => {
      const asked = {
        ...{ ...flags, name, clientSecret: await readSecret(clientSecretFile) },
        ...(domain !== undefined && { emailDomains: domain }),
      }
      await runOnData(shell, async () => (await commands()).createUpstreamCommand, asked)
    })
  upstreams
    .command('list')
    .description('List the upstream identity providers')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listUpstreamsCommand, flags))
  upstreams
    .command('replace-secret <id>')
    .description('Prove Muster to it by another client secret from now on')
    .requiredOption('--client-secret-file <file>', 'a file with the client secret that it has given')
    .option(...organizationFlag)
    .action(async (id: string, { clientSecretFile, ...flags }: { clientSecretFile: string }) => {
      const asked = { ...flags, id, clientSecret: await readSecret(clientSecretFile) }
      await runOnData(shell, async () => (await commands()).replaceUpstreamSecretCommand, asked)
    })
  upstreams
    .command('delete <id>')
    .description('Delete an upstream that no connection uses')
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).deleteUpstreamCommand, { ...flags, id }),
    )
}
