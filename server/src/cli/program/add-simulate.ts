import { join } from 'node:path'
import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { configOf, type Shell } from './shell.ts'

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
      const flags = await withTrialDefaults(command.args, shell)
      try {
        parseSimulateArguments(flags)
      } catch (error) {
        throw new CommandError(exitCodes.usage, error instanceof Error ? error.message : String(error))
      }
      await simulate(flags, (line) => void shell.io.line(line).catch(() => {}), shell.io.signal)
    })
}

/** Without a server, the devices join the trial of the configured data folder. */
async function withTrialDefaults(flags: string[], shell: Shell): Promise<string[]> {
  const names = ['--server', '--enroll-secret']
  const isGiven = flags.some((flag) => names.includes(flag.split('=')[0] ?? ''))
  if (isGiven) return flags
  const config = configOf(shell)
  const { readSecret } = await import('../trial-secret.ts')
  const secret = await readSecret(config.dataDir)
  // So that a second run goes on as the same devices, instead of a doubtful enrolment of each.
  const isKept = flags.some((flag) => flag.startsWith('--state-file') || flag.startsWith('--seed'))
  const remembering = isKept ? [] : ['--state-file', join(config.dataDir, 'simulated-devices.json')]
  return secret === undefined
    ? flags
    : [...flags, '--server', config.baseUrl, '--enroll-secret', secret, ...remembering]
}
