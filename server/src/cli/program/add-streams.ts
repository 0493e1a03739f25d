import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError, exitCodes } from '../command-error.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const creation = () => import('../commands/create-stream-command.ts')
const commands = () => import('../commands/stream-commands.ts')
const tail = () => import('../commands/tail-streams-command.ts')

const statuses = {
  enable: { status: 'enabled', description: 'Let a stream deliver; what waited while it was paused goes first' },
  pause: { status: 'paused', description: 'Keep the events of a stream until it is enabled again' },
  disable: { status: 'disabled', description: 'Stop a stream; what happens meanwhile is not told to it' },
} as const

export function addStreams(program: Command, shell: Shell): void {
  const streams = program.command('streams').description('Streams of signals (Shared Signals Framework)')
  streams
    .command('add [name]')
    .description('Create a stream: for Okta, pushed to a receiver, or polled by one')
    .option(...organizationFlag)
    .addOption(new Option('--preset <receiver>', 'the settings of a known receiver').choices(['okta']))
    .option('--okta-url <url>', 'with --preset okta: the address of your Okta organization')
    .option('--push <url>', 'where events are pushed to; without it the stream is polled')
    .option('--audience <text>', 'who its tokens are for (default: the receiver, or the stream)')
    .option('--authorization-file <file>', 'holds what is sent as Authorization with every event')
    .addOption(new Option('--layout <layout>', 'of its tokens').choices(['v1_0', 'draft']))
    .addOption(new Option('--device-format <format>', 'how tokens name the device').choices(['iss_sub', 'opaque']))
    .action(async (name: string | undefined, flags: AddFlags) =>
      runOnData(shell, async () => (await creation()).createStreamCommand, await newStreamOf(name, flags)),
    )
  streams
    .command('list')
    .description('List the streams and the health of their receivers')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listStreamsCommand, flags))
  for (const [name, { status, description }] of Object.entries(statuses)) {
    streams
      .command(`${name} <stream>`)
      .description(`${description}; the receiver is told`)
      .option(...organizationFlag)
      .option('--reason <text>', 'why, for the receiver and the audit log')
      .action((stream, flags) =>
        runOnData(shell, async () => (await commands()).setStreamStatusCommand, { ...flags, stream, status }),
      )
  }
  streams
    .command('move [stream]')
    .description('Move a stream, or all with --all, to the current issuer and keys of its organization')
    .option('--all', 'every stream of the organization', false)
    .option(...organizationFlag)
    .action((stream: string | undefined, { all, organization }, command: Command) => {
      if ((stream === undefined) !== all) command.error('error: name a stream, or say --all')
      return runOnData(shell, async () => (await commands()).moveStreamsCommand, {
        ...(organization && { organization }),
        ...(stream !== undefined && { stream }),
      })
    })
  streams
    .command('delete <stream>')
    .description('Delete a stream, with the events that wait for it')
    .option(...organizationFlag)
    .action((stream, flags) =>
      runOnData(shell, async () => (await commands()).deleteStreamCommand, { ...flags, stream }),
    )
  streams
    .command('tail [stream]')
    .description('Print the events of all streams, or of one, as they are queued and delivered; ends with Ctrl-C')
    .option(...organizationFlag)
    .option('--last <count>', 'begin with the last so many', readCount, 10)
    .option('--json', 'a line of JSON for each, with the claims of its token', false)
    .action((stream, flags) =>
      runOnData(shell, async () => (await tail()).tailStreamsCommand, { ...flags, ...(stream && { stream }) }),
    )
}

type AddFlags = {
  organization?: string
  preset?: 'okta'
  oktaUrl?: string
  push?: string
  audience?: string
  authorizationFile?: string
  layout?: string
  deviceFormat?: string
}

const chosenByPreset = ['push', 'audience', 'authorizationFile', 'layout', 'deviceFormat'] as const

async function newStreamOf(name: string | undefined, { preset, oktaUrl, authorizationFile: file, ...flags }: AddFlags) {
  if ((preset === undefined) !== (oktaUrl === undefined)) throw usage('--preset okta and --okta-url belong together')
  const given = { ...flags, authorizationFile: file }
  if (preset && chosenByPreset.some((flag) => given[flag] !== undefined)) {
    throw usage('--preset okta decides on the delivery, audience, authorization, layout and device format')
  }
  if (file !== undefined && flags.push === undefined) throw usage('--authorization-file is for --push')
  const text =
    file === undefined
      ? undefined
      : await readFile(file, 'utf8').catch((error: Error) => {
          throw usage(`--authorization-file: ${error.message}`)
        })
  return {
    ...flags,
    ...(name !== undefined && { name }),
    ...(oktaUrl !== undefined && { okta: oktaUrl }),
    ...(text !== undefined && { authorization: text.trim() }),
  }
}

const usage = (message: string) => new CommandError(exitCodes.usage, message)

function readCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 0 || count > 1_000) throw new InvalidArgumentError('0 to 1000')
  return count
}
