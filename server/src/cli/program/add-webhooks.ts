import { chosenWebhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addWebhookLog } from './add-webhook-log.ts'
import { addWebhookVerify } from './add-webhook-verify.ts'
import { readBytes } from './read-bytes.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/webhook-commands.ts')

type Fields = { url?: string; event?: string[]; description?: string; headersFile?: string; headers?: boolean }

export function addWebhooks(program: Command, shell: Shell): void {
  const webhooks = program.command('webhooks').description('Webhook endpoints and what was sent to them')
  webhooks
    .command('list')
    .description('List the endpoints and the health of their receivers')
    .option(...organizationFlag)
    .option('--json', 'a line of JSON for each', false)
    .action((flags) => runOnData(shell, async () => (await commands()).listEndpointsCommand, flags))
  addMaking(webhooks, shell)
  addSwitches(webhooks, shell)
  addSecrets(webhooks, shell)
  addWebhookLog(webhooks, shell)
  addWebhookVerify(webhooks, shell)
}

function addMaking(webhooks: Command, shell: Shell): void {
  webhooks
    .command('add <url>')
    .description('Create an endpoint and print its secret')
    .option(...organizationFlag)
    .addOption(eventOption().makeOptionMandatory())
    .option('--description <text>', 'what it is for')
    .option('--headers-file <file>', 'headers to send besides, a line `name: value` for each, or JSON')
    .option('--disabled', 'tell it nothing until it is enabled', false)
    .option('--json', 'print the whole endpoint as JSON', false)
    .action(async (url, { organization, disabled, json, ...fields }) => {
      const asked = { ...(await readFields({ ...fields, url })), enabled: !disabled }
      await runOnData(shell, async () => (await commands()).addEndpointCommand, { organization, asked, json })
    })
  webhooks
    .command('edit <endpoint>')
    .description('Change the given fields of an endpoint')
    .option(...organizationFlag)
    .option('--url <url>', 'where to send events')
    .addOption(eventOption())
    .option('--description <text>', 'what it is for')
    .option('--headers-file <file>', 'headers to send besides, instead of those that it has')
    .option('--no-headers', 'no headers besides')
    .action(async (endpoint, { organization, ...fields }) => {
      const asked = await readFields(fields)
      await runOnData(shell, async () => (await commands()).changeEndpointCommand, { organization, endpoint, asked })
    })
}

const eventOption = () =>
  new Option('-e, --event <events...>', 'what to tell it of, all of it').choices(chosenWebhookEvents)

/** Values of headers are secrets, which do not belong on a command line. */
async function readFields({ url, event: events, description, headersFile, headers }: Fields) {
  const { readHeaders } = await import('../webhooks/read-headers.ts')
  const read = headersFile === undefined ? undefined : readHeaders(String(await readBytes(headersFile)), headersFile)
  const custom = read ? Object.fromEntries(read) : headers === false ? {} : undefined
  return {
    ...(url !== undefined && { url }),
    ...(events && { events }),
    ...(description !== undefined && { description }),
    ...(custom && { custom_headers: custom }),
  }
}

function addSwitches(webhooks: Command, shell: Shell): void {
  const switches = {
    enable: { enabled: true, description: 'Let an endpoint be told again; what waited for it goes first' },
    disable: { enabled: false, description: 'Tell an endpoint nothing; what happens meanwhile is not kept for it' },
  } as const
  for (const [name, { enabled, description }] of Object.entries(switches)) {
    webhooks
      .command(`${name} <endpoint>`)
      .description(description)
      .option(...organizationFlag)
      .action((endpoint, flags) =>
        runOnData(shell, async () => (await commands()).changeEndpointCommand, {
          ...{ ...flags, endpoint, asked: { enabled } },
        }),
      )
  }
  webhooks
    .command('delete <endpoint>')
    .description('Delete an endpoint, with what waits for it and its log')
    .option(...organizationFlag)
    .action((endpoint, flags) =>
      runOnData(shell, async () => (await commands()).deleteEndpointCommand, { ...flags, endpoint }),
    )
}

function addSecrets(webhooks: Command, shell: Shell): void {
  webhooks
    .command('reveal-secret <endpoint>')
    .description('Print the secret of an endpoint again; the audit log records it')
    .option(...organizationFlag)
    .action((endpoint, flags) =>
      runOnData(shell, async () => (await commands()).revealSecretCommand, { ...flags, endpoint }),
    )
  webhooks
    .command('roll-secret <endpoint>')
    .description('Give an endpoint a new secret and print it; the previous one also signs for some time')
    .option(...organizationFlag)
    .option('--overlap <seconds>', 'for how long; 0 ends it, and any before it, at once', readSeconds, 86_400)
    .action((endpoint, { overlap: overlapSeconds, ...flags }) =>
      runOnData(shell, async () => (await commands()).rollSecretCommand, { ...flags, endpoint, overlapSeconds }),
    )
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > 604_800) throw new InvalidArgumentError('0 to 604800')
  return seconds
}
