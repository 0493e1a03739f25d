import { Argument, type Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/request-commands.ts')
const kind = () => new Argument('<kind>', 'which requests').choices(['exemption', 'registration'])

export function addRequests(program: Command, shell: Shell): void {
  const requests = program.command('requests').description('Requests of people: exemptions and registrations')
  requests
    .command('list')
    .description('List what waits for a decision, oldest first')
    .option('--all', 'also what is decided or withdrawn')
    .option('--limit <n>', 'at most so many of each kind', '100')
    .option(...organizationFlag)
    .action(({ limit, ...flags }) =>
      runOnData(shell, async () => (await commands()).listRequestsCommand, { ...flags, limit: Number(limit) }),
    )
  addRaising(requests, shell)
  addDeciding(requests, shell)
}

function addRaising(requests: Command, shell: Shell): void {
  requests
    .command('raise-exemption <device> <person-email>')
    .description('Ask on behalf of the owner that issues of a device be exempted, and print the identifier')
    .requiredOption('--issue <ids...>', 'which issues')
    .requiredOption('--message <text>', 'why')
    .option(...organizationFlag)
    .action((device, personEmail, { issue: issues, ...flags }) =>
      runOnData(shell, async () => (await commands()).raiseExemptionCommand, { ...flags, device, personEmail, issues }),
    )
  requests
    .command('withdraw <id>')
    .description('Withdraw an open exemption request for the person who made it')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).withdrawExemptionCommand, { ...flags, id }))
  requests
    .command('raise-registration <device> <person-email>')
    .description('Ask on behalf of a person that a device be registered to them; a first device is registered at once')
    .requiredOption('--message <text>', 'why')
    .option(...organizationFlag)
    .action((device, personEmail, flags) =>
      runOnData(shell, async () => (await commands()).raiseRegistrationCommand, { ...flags, device, personEmail }),
    )
}

function addDeciding(requests: Command, shell: Shell): void {
  requests
    .command('approve')
    .addArgument(kind())
    .argument('<id>')
    .description('Approve a request')
    .option('--note <text>', 'for other administrators; exemptions need one')
    .option(...organizationFlag)
    .action((of, id, flags) =>
      runOnData(shell, async () => (await commands()).approveRequestCommand, { ...flags, kind: of, id }),
    )
  requests
    .command('deny')
    .addArgument(kind())
    .argument('<id>')
    .description('Deny a request')
    .requiredOption('--explanation <text>', 'why, for the person who made it')
    .option('--note <text>', 'for other administrators; exemptions need one')
    .option(...organizationFlag)
    .action((of, id, flags) =>
      runOnData(shell, async () => (await commands()).denyRequestCommand, { ...flags, kind: of, id }),
    )
  requests
    .command('reopen')
    .addArgument(kind())
    .argument('<id>')
    .description('Reopen a request; an approved exemption ends')
    .option(...organizationFlag)
    .action((of, id, flags) =>
      runOnData(shell, async () => (await commands()).reopenRequestCommand, { ...flags, kind: of, id }),
    )
}
