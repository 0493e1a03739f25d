import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/check-commands.ts')

export function addChecks(program: Command, shell: Shell): void {
  const checks = program.command('checks').description('The catalogue of checks')
  checks
    .command('catalogue')
    .description('List the checks that Muster brings along, and which are enabled')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listCatalogueCommand, flags))
  checks
    .command('enable <slug>')
    .description('Enable a check of the catalogue and print its identifier')
    .option(...organizationFlag)
    .action((slug, flags) => runOnData(shell, async () => (await commands()).enableCheckCommand, { ...flags, slug }))
}
