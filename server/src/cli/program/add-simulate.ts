import { join } from 'node:path'
import type { Command } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { configOf, organizationFlag, runOnData, type Shell } from './shell.ts'

const otherHelp = `

muster simulate sign-ins: sign-ins of the people who are there; --help says more.
muster simulate requests: requests that nobody made; --help says more.`

export function addSimulate(program: Command, shell: Shell): void {
  const simulated = program
    .command('simulate [flags...]')
    .description('Simulate many devices, for trying the product and loading a server')
    // The simulator reads its own flags and has its own help.
    .allowUnknownOption()
    .helpOption(false)
    .action(async (_flags: string[], _options: object, command: Command) => {
      const { parseSimulateArguments, simulate, simulateHelp } = await import(
        '@muster/agent/simulate/simulate-command.ts'
      )
      if (command.args.includes('--help') || command.args.includes('-h')) return shell.io.line(simulateHelp + otherHelp)
      const flags = await withTrialDefaults(command.args, shell)
      try {
        parseSimulateArguments(flags)
      } catch (error) {
        throw new CommandError(exitCodes.usage, error instanceof Error ? error.message : String(error))
      }
      await simulate(flags, (line) => void shell.io.line(line).catch(() => {}), shell.io.signal)
    })
  simulated.helpCommand(false)
  addSignIns(simulated, shell)
  addSimulatedRequests(simulated, shell)
}

function addSignIns(simulated: Command, shell: Shell): void {
  simulated
    .command('sign-ins')
    .description('Write made-up sign-ins of the last day into the auth logs, of the people and devices that are there')
    .helpOption('-h, --help', 'display help for command')
    .option(...organizationFlag)
    .option('--count <number>', 'how many', Number, 20)
    .option('--seed <number>', 'another seed gives others', Number, 1)
    .action((flags) =>
      runOnData(
        shell,
        async () => (await import('../commands/simulate-sign-ins-command.ts')).simulateSignInsCommand,
        flags,
      ),
    )
}

/** What simulated people ask goes through the commands that real people's requests go through. */
function addSimulatedRequests(simulation: Command, shell: Shell): void {
  const load = async () => (await import('../commands/simulate-requests-command.ts')).simulateRequestsCommand
  simulation
    .command('requests')
    .helpOption('-h, --help', 'display help for command')
    .description('Raise requests in the name of device owners and of people who are made up; for trials')
    .option('--count <n>', 'how many requests', '10')
    .option('--seed <n>', 'the same seed asks for the same', '1')
    .option(...organizationFlag)
    .action(({ count, seed, organization }) =>
      runOnData(shell, load, { organization, count: Number(count), seed: Number(seed) }),
    )
}

/** Without a server, the devices join the trial of the configured data folder. */
async function withTrialDefaults(flags: string[], shell: Shell): Promise<string[]> {
  const names = ['--server', '--enroll-secret']
  const isGiven = flags.some((flag) => names.includes(flag.split('=')[0] ?? ''))
  if (isGiven) return flags
  const config = configOf(shell)
  const { readAddress, readSecret } = await import('../trial-files.ts')
  const secret = await readSecret(config.dataDir)
  if (secret === undefined) return flags
  // Where the trial of the folder was started, which need not be what the settings of this command say.
  const { server, caFile } = (await readAddress(config.dataDir)) ?? { server: config.baseUrl }
  // So that a second run continues as the same devices, instead of a doubtful enrollment of each.
  const isKept = flags.some((flag) => flag.startsWith('--state-file') || flag.startsWith('--seed'))
  const remembering = isKept ? [] : ['--state-file', join(config.dataDir, 'simulated-devices.json')]
  const isTrusting = caFile === undefined || flags.some((flag) => flag.startsWith('--ca'))
  const trusting = isTrusting ? [] : ['--ca', caFile]
  return [...flags, '--server', server, `--enroll-secret=${secret}`, ...trusting, ...remembering]
}
