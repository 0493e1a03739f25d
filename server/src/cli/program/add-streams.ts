import { type Command, InvalidArgumentError } from 'commander'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

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
    .command('list')
    .description('List the streams and how their receivers stand')
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

function readCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 0 || count > 1_000) throw new InvalidArgumentError('0 to 1000')
  return count
}
