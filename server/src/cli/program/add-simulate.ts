import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import type { Shell } from './shell.ts'

/** As `muster agent` calls them. */
const alsoCalled: Record<string, string> = { '--enroll-secret': '--secret', '--ca': '--ca-file' }

export function addSimulate(program: Command, shell: Shell): void {
  program
    .command('simulate [flags...]')
    .description('Simulate many devices, for trying the product and loading a server')
    // The simulator reads its own flags and has its own help.
    .allowUnknownOption()
    .helpOption(false)
    .action(async (_flags: string[], _options: object, command: Command) => {
      const { parseSimulateArguments, simulate, simulateHelp } = await import(
        '@muster/agent/simulate/simulate-command.ts'
      )
      if (command.args.includes('--help') || command.args.includes('-h')) return shell.io.line(simulateHelp)
      const flags = command.args.map(renamed)
      try {
        parseSimulateArguments(flags)
      } catch (error) {
        throw new CommandError(exitCodes.usage, error instanceof Error ? error.message : String(error))
      }
      await simulate(flags, (line) => void shell.io.line(line).catch(() => {}), shell.io.signal)
    })
}

function renamed(argument: string): string {
  const [flag = '', ...value] = argument.split('=')
  return [alsoCalled[flag] ?? flag, ...value].join('=')
}
