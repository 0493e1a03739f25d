import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import type { PreparedSignIns } from '../sign-ins/prepare-sign-ins.ts'
import { milliseconds } from './read-duration.ts'
import { readFromData } from './read-from-data.ts'
import { configOf, organizationFlag, runOnData, type Shell } from './shell.ts'

const otherHelp = `

muster simulate sign-ins: people who are made up sign in; --help says more.
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
    .description('Sign in people who are made up, with laptops that are, as browsers, applications and agents do')
    .helpOption('-h, --help', 'display help for command')
    .option(...organizationFlag)
    .option('--count <number>', 'how many sign-ins', wholeNumber(1, 10_000_000), 20)
    .option('--duration <time>', 'end after this long, such as 30s or 5m', milliseconds)
    .option('--rate <number>', 'how many begin in a second at most', wholeNumber(1, 10_000))
    .option('--concurrency <number>', 'how many are under way at a time', wholeNumber(1, 500), 4)
    .option(
      '--people <number>',
      'how many people, each with a laptop, when the file is made',
      wholeNumber(1, 1_000),
      10,
    )
    .option('--seed <number>', 'another seed gives others', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--file <file>', 'keeps keys and secrets from run to run (simulated-sign-ins.json of the data folder)')
    .option('--prepare', 'make the file and end, to sign in from another machine with it')
    .option('--ca <file>', 'the certificate authority to trust, PEM')
    .action((flags: SignInFlags) => signIns(shell, flags))
}

type SignInFlags = {
  organization?: string
  count: number
  duration?: number
  rate?: number
  concurrency: number
  people?: number
  seed: number
  file?: string
  prepare?: boolean
  ca?: string
}

/** Who signs in again and again is stopped: the usual run has each person come three times. */
const [minUsualPeople, maxUsualPeople] = [5, 200]

async function signIns(shell: Shell, flags: SignInFlags): Promise<void> {
  const { dataDir } = configOf(shell)
  const { simulateSignIns } = await import('../sign-ins/simulate-sign-ins.ts')
  const { readAddress } = await import('../trial-files.ts')
  const { count, concurrency, seed, organization } = flags
  const people = flags.people ?? Math.min(maxUsualPeople, Math.max(minUsualPeople, Math.ceil(count / 3)))
  const run = {
    ...{ count, concurrency, seed, durationMs: flags.duration, perSecond: flags.rate },
    caFile: flags.ca ?? (await readAddress(dataDir))?.caFile,
    file: flags.file ?? join(dataDir, 'simulated-sign-ins.json'),
    isPreparing: flags.prepare ?? false,
  }
  const prepare = async (requestKey: Record<string, string>) => {
    const args = { people, requestKey, ...(organization !== undefined && { organization }) }
    const load = async () => (await import('../commands/prepare-sign-ins-command.ts')).prepareSignInsCommand
    return JSON.parse(await readFromData(shell, load, args)) as PreparedSignIns
  }
  shell.exitCode = await simulateSignIns(run, prepare, shell.io)
}

const wholeNumber = (least: number, most: number) => (text: string) => {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`)
}

/** What simulated people ask goes through the commands that real people's requests go through. */
function addSimulatedRequests(simulation: Command, shell: Shell): void {
  const load = async () => (await import('../commands/simulate-requests-command.ts')).simulateRequestsCommand
  simulation
    .command('requests')
    .helpOption('-h, --help', 'display help for command')
    .description('Raise requests of device owners and made-up people, for trials')
    .option('--count <n>', 'how many requests', wholeNumber(1, 10_000), 10)
    .option('--seed <n>', 'the same seed asks for the same', wholeNumber(0, 2 ** 32 - 1), 1)
    .option(...organizationFlag)
    .action(({ count, seed, organization }) => runOnData(shell, load, { organization, count, seed }))
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
