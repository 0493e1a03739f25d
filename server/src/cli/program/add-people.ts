import type { Command } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/people-commands.ts')

export function addPeople(program: Command, shell: Shell): void {
  const people = program.command('people').description('People')
  people
    .command('add <name> <e-mail>')
    .description('Add a person and print the identifier')
    .option(...organizationFlag)
    .action((name, email, flags) =>
      runOnData(shell, async () => (await commands()).addPersonCommand, { ...flags, name, email }),
    )
}
