import { type Command, Option } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/check-commands.ts')

export function addChecks(program: Command, shell: Shell): void {
  const checks = program.command('checks').description('Checks: the catalogue, and external ones')
  checks
    .command('catalogue')
    .description('List the checks that come with Muster, and which are enabled')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listCatalogueCommand, flags))
  checks
    .command('enable <slug>')
    .description('Enable a check of the catalogue and print its identifier')
    .option(...organizationFlag)
    .action((slug, flags) => runOnData(shell, async () => (await commands()).enableCheckCommand, { ...flags, slug }))
  checks
    .command('delete <id>')
    .description('Delete a check of your own and resolve its issues; those that come with Muster can be paused')
    .option(...organizationFlag)
    .action((id, flags) => runOnData(shell, async () => (await commands()).deleteCheckCommand, { ...flags, id }))
  checks
    .command('add-external <slug>')
    .description('Create a check whose results other programs report through the API, and print its identifier')
    .requiredOption('--name <text>', 'what it is called')
    .option(...organizationFlag)
    .option('--description <text>', 'what it looks at')
    .option('--issue-title <text>', 'what is wrong when it fails (default: its name)')
    .option('--fix-instructions <markdown>', 'what the owner of a device can do')
    .option('--primary-key-column <name>', 'the member of a row that tells the issues of a device apart')
    .addOption(
      new Option('--platform <platforms...>', 'which devices it is about (default: all)').choices([
        'darwin',
        'windows',
        'linux',
      ]),
    )
    .action((slug, { platform: platforms = [], ...flags }) =>
      runOnData(shell, async () => (await commands()).addExternalCheckCommand, { ...flags, slug, platforms }),
    )
  checks
    .command('set-begins-blocking-on <check>')
    .description('Set the time before which a check, named by identifier or slug, blocks nobody')
    .addOption(new Option('--at <time>', 'such as 2026-12-01T00:00:00Z').conflicts('clear'))
    .addOption(new Option('--clear', 'no such moment'))
    .option(...organizationFlag)
    .action((check, { at, clear, organization }, command: Command) => {
      if ((at === undefined) === (clear === undefined)) command.error('error: say --at or --clear')
      return runOnData(shell, async () => (await commands()).setBeginsBlockingOnCommand, {
        organization,
        check,
        at: at ?? null,
      })
    })
}
