import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { addNewConnections } from './add-new-connections.ts'
import { milliseconds } from './read-duration.ts'
import { organizationFlag, runOnData, type Shell } from './shell.ts'

const commands = () => import('../commands/connection-commands.ts')

export function addConnections(program: Command, shell: Shell): void {
  const connections = program
    .command('connections')
    .description('Applications and identity providers that people sign in to through Muster')
  addNewConnections(connections, shell)
  addReading(connections, shell)
  addModes(connections, shell)
  addPauses(connections, shell)
  connections
    .command('roll-secret <id>')
    .description('Replace the client secret and print the new one, this once')
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).rollConnectionSecretCommand, { ...flags, id }),
    )
  connections
    .command('delete <id>')
    .description('Delete a connection')
    .option(...confirmFlag)
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).deleteConnectionCommand, { ...flags, id }),
    )
}

const confirmFlag = ['--confirm <name>', 'the name of the connection; without it, says who is shut out'] as const

function addReading(connections: Command, shell: Shell): void {
  connections
    .command('list')
    .description('List the connections with their kinds')
    .option(...organizationFlag)
    .action((flags) => runOnData(shell, async () => (await commands()).listConnectionsCommand, flags))
  connections
    .command('show <id>')
    .description('Show everything about a connection but its secret')
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).showConnectionCommand, { ...flags, id }),
    )
  connections
    .command('test <id>')
    .description('Say whether people can get through a connection now; exits with 1 if not')
    .option('--request <file>', 'judge a signed request of the caller, a JWT, as well; it is not used up')
    .option(...organizationFlag)
    .action(async (id: string, { request, ...flags }: { request?: string }) => {
      const load = async () => (await import('../commands/test-connection-command.ts')).testConnectionCommand
      const read = request === undefined ? {} : { request: await readFile(request, 'utf8') }
      await runOnData(shell, load, { ...flags, ...read, id })
    })
}

function addModes(connections: Command, shell: Shell): void {
  const modes = [
    ['enforce', 'Refuse devices that are blocked'],
    ['observe', 'Let everyone in who is known, and write down who would be refused'],
  ] as const
  for (const [mode, description] of modes) {
    connections
      .command(`${mode} <id>`)
      .description(description)
      .option(...organizationFlag)
      .action((id: string, flags: object) =>
        runOnData(shell, async () => (await commands()).setConnectionModeCommand, { ...flags, id, mode }),
      )
  }
  connections
    .command('disable <id>')
    .description('Refuse everyone')
    .option(...confirmFlag)
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).disableConnectionCommand, { ...flags, id }),
    )
}

function addPauses(connections: Command, shell: Shell): void {
  connections
    .command('pause <id>')
    .description('Let known people in without the check of their device for a while')
    .requiredOption('--for <time>', 'how long, such as 30m or 4h; a day at most', milliseconds)
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option(...organizationFlag)
    .action((id: string, { for: forMs, ...flags }: { for: number; reason: string }) =>
      runOnData(shell, async () => (await commands()).pauseConnectionCommand, {
        ...{ ...flags, id, minutes: Math.ceil(forMs / 60_000) },
      }),
    )
  connections
    .command('resume <id>')
    .description('End a pause before its time')
    .option(...organizationFlag)
    .action((id: string, flags: object) =>
      runOnData(shell, async () => (await commands()).resumeConnectionCommand, { ...flags, id }),
    )
}
