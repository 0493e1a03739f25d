import { webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/webhook-log-commands.ts')

/** The part of `muster webhooks` that is about what was sent. */
export function addWebhookLog(webhooks: Command, shell: Shell): void {
  webhooks
    .command('log <endpoint>')
    .description('List what was sent to an endpoint and what became of it, newest first')
    .option(...organizationFlag)
    .option('--failed', 'only what failed', false)
    .option('--last <count>', 'the last so many', readBetween(1, 1_000), 20)
    .option('--json', 'a line of JSON for each', false)
    .action((endpoint, flags) =>
      runOnData(shell, async () => (await commands()).listDeliveriesCommand, { ...flags, endpoint }),
    )
  webhooks
    .command('test <endpoint>')
    .description('Send a test event to an endpoint, whatever events it chose, and say what became of it')
    .option(...organizationFlag)
    .addOption(new Option('--event <name>', 'an example of this event instead').choices(webhookEvents))
    .option('--wait <seconds>', 'how long to wait for the first attempt', readBetween(0, 120), 20)
    .action((endpoint, { wait: waitSeconds, ...flags }) =>
      runOnData(shell, async () => (await commands()).testEndpointCommand, { ...flags, endpoint, waitSeconds }),
    )
  webhooks
    .command('resend <endpoint>')
    .description('Send to an endpoint again: one delivery, or all that failed since a given time')
    .option(...organizationFlag)
    .option('--delivery <id>', 'which one')
    .option('--failed-since <time>', 'a date, or a date and time such as 2026-11-20T09:00:00Z')
    .action((endpoint, flags) => runOnData(shell, async () => (await commands()).resendCommand, { ...flags, endpoint }))
}

const readBetween = (least: number, most: number) => (text: string) => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < least || count > most) throw new InvalidArgumentError(`${least} to ${most}`)
  return count
}
